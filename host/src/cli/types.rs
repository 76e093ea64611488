//! `ghost types`.

use ghost::functions::DECLARATIONS;

use super::{Exit, deliver};

pub(crate) fn run() -> Exit {
    deliver(DECLARATIONS.trim_end())
}
