//! From ghost's WIT: the guest's glue, the type declarations for editors, the reference.
//!
//! WIT is the one place where a method is described. What it has no words for stands beside it in two strict forms: the
//! names of the aliases in `types.wit`, and tags in doc comments. One that is not known here fails the build.

mod glue;
mod model;
mod reference;
mod types;

use std::path::Path;

use anyhow::Result;

/// The Rust text that joins JavaScript and the functions that `wit-bindgen` makes: argument checks, conversions, errors.
pub fn glue(wit: &Path) -> Result<String> {
    Ok(glue::generate(&model::load(wit)?))
}

/// The declarations that an editor reads: `g.d.ts`.
pub fn types(wit: &Path) -> Result<String> {
    Ok(types::generate(&model::load(wit)?))
}

/// The reference, in Markdown.
pub fn reference(wit: &Path) -> Result<String> {
    Ok(reference::generate(&model::load(wit)?))
}
