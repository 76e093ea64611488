//! `ghost types`.

use super::{Exit, terminal};

/// What an editor reads.
pub(crate) const DECLARATIONS: &str = include_str!("../../../scripts/g.d.ts");

pub(crate) fn run() -> Exit {
    terminal::print(DECLARATIONS.trim_end());
    Exit::Success
}
