//! What is made from ghost's WIT: the guest's glue, the type declarations for editors, the reference.
//!
//! The WIT is read into a [`model`], which is strict: what an output could not serve fails the build.

mod convert;
pub mod docs;
mod forms;
mod glue;
pub mod model;
pub mod name;
mod prose;
mod read;
mod reference;
mod tags;
mod types;

use std::path::Path;

use anyhow::Result;

pub use glue::World;

/// The guest's glue for a world as Rust text, from the WIT in a folder.
pub fn glue(wit: &Path, world: World) -> Result<String> {
    Ok(glue::glue(&read::read(wit)?, world))
}

/// `g.d.ts`, from the WIT in a folder.
pub fn types(wit: &Path) -> Result<String> {
    Ok(types::types(&read::read(wit)?))
}

/// The reference in Markdown, from the WIT in a folder.
pub fn reference(wit: &Path) -> Result<String> {
    Ok(reference::reference(&read::read(wit)?))
}
