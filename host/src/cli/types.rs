//! `ghost types`.

use super::{Exit, deliver};

/// The type declarations for editors.
pub(crate) const DECLARATIONS: &str = include_str!("../../../scripts/g.d.ts");

pub(crate) fn run() -> Exit {
    deliver(DECLARATIONS.trim_end())
}
