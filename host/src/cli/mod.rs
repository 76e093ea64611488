//! The command line: one file a subcommand.

mod completions;
mod init;
mod input;
mod json;
mod report;
mod run;
mod terminal;
mod types;

use std::{
    env,
    path::Path,
    process::{self, ExitCode},
};

use clap::{Parser, Subcommand, error::ErrorKind};

/// What the program's exit status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// `main` returned.
    Success = 0,
    /// The script failed.
    Failed = 1,
    /// It could not start.
    NotStarted = 2,
    /// It was stopped by a limit of the run.
    Limit = 3,
    /// It was interrupted.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Runs JavaScript in a sandbox, with storage beside it.
///
/// A script is one file with a function `main`. It sees no files, no network and no environment: it works with its
/// arguments and with `g`, which keeps documents in a workspace folder (g.store).
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  ghost init                                   make a workspace here, with types for your editor
  ghost run hello.js Ada                       call main(\"Ada\") and print what it returns
  ghost run import.js --input packages.jsonl   call main(records)
  ghost run -e 'export const main = () => g.store.collections()'";

#[derive(Subcommand)]
enum Command {
    /// Runs a script and prints what its main returns, as JSON
    Run(run::Run),
    /// Makes a workspace in a folder, with type declarations for editors
    Init(init::Init),
    /// Prints the type declarations of g (g.d.ts)
    Types,
    /// Prints a completion script for a shell
    Completions(completions::Completions),
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| {
        if let (ErrorKind::InvalidSubcommand, Some(script)) = (error.kind(), env::args().nth(1))
            && Path::new(&script).is_file()
        {
            report::message(&format!("there is no command {script}; to run the script: ghost run {script}"));
            process::exit(Exit::NotStarted as i32);
        }
        error.exit()
    });
    let exit = match arguments.command {
        Command::Run(run) => run.run(),
        Command::Init(init) => init.run(),
        Command::Types => types::run(),
        Command::Completions(completions) => completions.run(),
    };
    exit.into()
}

/// Says why the program could not start.
fn not_started(message: &str) -> Exit {
    report::message(message);
    Exit::NotStarted
}
