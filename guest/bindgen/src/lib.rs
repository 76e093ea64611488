//! Generates the guest's glue, the type declarations for editors and the reference from ghost's WIT.
//!
//! The WIT is read into a [`model`]. Reading is strict: a construct that an output does not support fails the build.

mod aliases;
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

/// Returns the guest's glue for a world as Rust code, from the WIT in a folder.
pub fn glue(wit: &Path, world: World) -> Result<String> {
    Ok(glue::glue(&read::read(wit)?, world))
}

/// Returns `g.d.ts`, from the WIT in a folder.
pub fn types(wit: &Path) -> Result<String> {
    Ok(types::types(&read::read(wit)?))
}

/// Returns the reference in Markdown, from the WIT in a folder.
pub fn reference(wit: &Path) -> Result<String> {
    Ok(reference::reference(&read::read(wit)?))
}
