//! `ghost completions`.

use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Arguments, Exit};

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Exit {
        clap_complete::generate(self.shell, &mut Arguments::command(), "ghost", &mut io::stdout());
        Exit::Success
    }
}
