//! `ghost completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Arguments, Exit, deliver};

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Exit {
        // Not written at once: clap_complete panics when the reader has gone.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "ghost", &mut script);
        deliver(String::from_utf8_lossy(&script).trim_end())
    }
}
