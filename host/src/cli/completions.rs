//! `ghost completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Arguments, Exit, deliver};

#[derive(Args)]
#[command(after_help = "Examples:
  ghost completions bash > ~/.local/share/bash-completion/completions/ghost
  ghost completions fish > ~/.config/fish/completions/ghost.fish
  ghost completions zsh > ~/.zfunc/_ghost      (add ~/.zfunc to $fpath)

The target folder must exist.")]
pub(crate) struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Exit {
        // Collected first, because clap_complete panics when standard output is closed.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "ghost", &mut script);
        deliver(String::from_utf8_lossy(&script).trim_end())
    }
}
