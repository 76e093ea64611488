//! The command line: one file a subcommand.

mod completions;
mod environment;
mod execute;
mod init;
mod input;
mod interrupt;
mod json;
mod memory;
mod place;
mod progress;
mod prompt;
mod queue;
mod report;
mod run;
mod screen;
mod search;
mod secret;
mod store;
mod table;
mod terminal;
mod tips;
mod trouble;
mod types;
mod units;
mod width;
mod workspace;

use std::{io, panic, path::Path, process::ExitCode};

use clap::{
    Parser, Subcommand,
    error::{ContextKind, ContextValue},
};

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
/// arguments and with `g`, which keeps documents (g.store), queues of work (g.queue) and full-text search (g.search) in a
/// workspace folder, and reaches databases (g.sqldb) by the names of stored secrets.
#[derive(Parser)]
#[command(version, max_term_width = 120, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  ghost init                                    make a workspace, with types
  ghost run hello.js Ada                        call main(\"Ada\") and print what it returns
  ghost run --input @packages.jsonl import.js   call main(records)
  ghost run --help                              all about running scripts";

#[derive(Subcommand)]
enum Command {
    /// Runs a script and prints what its main returns, as JSON
    Run(run::Run),
    /// Shows and changes the documents of g.store
    Store(store::Store),
    /// Finds documents of g.search
    Search(search::Search),
    /// Shows and changes the queues of g.queue
    Queue(queue::Queue),
    /// Tells of the workspace, checks it, makes it smaller, copies it
    Workspace(workspace::Workspace),
    /// Makes a workspace in a folder, with type declarations for editors
    Init(init::Init),
    /// Stores the connection strings that scripts reach other systems with
    Secret(secret::Secret),
    /// Prints the type declarations of g (g.d.ts)
    #[command(after_help = "Example:
  ghost types > g.d.ts")]
    Types,
    /// Prints a completion script for a shell
    Completions(completions::Completions),
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    // Before anything that could start a thread.
    if let Err(error) = environment::take_secrets() {
        return not_started(&unclosed(&error)).into();
    }
    // A panic of a call, or of the database on damaged pages, is caught and told as an error; where it was is for the log. The
    // hook is the program's: a library host has its own.
    panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    let exit = panic::catch_unwind(command).unwrap_or_else(|_| {
        report::message("internal error: a fault of ghost");
        Exit::Failed
    });
    exit.into()
}

fn command() -> Exit {
    match Arguments::try_parse() {
        Ok(arguments) => match interrupt::ends_the_program() {
            Ok(()) => arguments.command.run(),
            Err(error) => not_started(&format!("signals can't be heard: {error}")),
        },
        Err(mut error) => match script_without_run(&error) {
            Some(script) => {
                not_started(&format!("there is no command {script}; to run the script: ghost run {script}"))
            }
            None => {
                // A tip to give the unknown option as an argument, which it is not.
                error.remove(ContextKind::Suggested);
                tips::keep_harmless(&mut error);
                error.exit()
            }
        },
    }
}

impl Command {
    fn run(self) -> Exit {
        match self {
            Self::Run(run) => run.run(),
            Self::Store(store) => store.run(),
            Self::Search(search) => search.run(),
            Self::Queue(queue) => queue.run(),
            Self::Workspace(workspace) => workspace.run(),
            Self::Init(init) => init.run(),
            Self::Secret(secret) => secret.run(),
            Self::Types => types::run(),
            Self::Completions(completions) => completions.run(),
        }
    }
}

/// The file that stands where a command is wanted.
fn script_without_run(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(word) if Path::new(word).is_file() => Some(word),
        _ => None,
    }
}

/// How a workspace is named: as the user named its folder.
fn workspace_in(folder: &Path) -> String {
    let workspace = folder.join(".ghost");
    workspace.strip_prefix(".").unwrap_or(&workspace).display().to_string()
}

/// What is said when the process can't be closed to others: no secret is read then.
fn unclosed(error: &io::Error) -> String {
    format!("the process can't be closed to debuggers, which secrets need: {}", input::reason(error))
}

/// Says why the program could not start.
fn not_started(message: &str) -> Exit {
    report::message(message);
    Exit::NotStarted
}

/// Prints what was asked for. A full disk behind standard output is a failure.
fn deliver(text: &str) -> Exit {
    delivered(terminal::print(text))
}

/// The same for a text with colours of ours, of which all else is harmless already.
fn deliver_styled(text: &str) -> Exit {
    delivered(terminal::print_styled(text))
}

fn delivered(printed: io::Result<()>) -> Exit {
    match printed {
        Ok(()) => Exit::Success,
        Err(error) => {
            report::message(&unwritable(&error));
            Exit::Failed
        }
    }
}

/// What is said when standard output takes nothing.
fn unwritable(error: &io::Error) -> String {
    format!("standard output can't be written: {}", input::reason(error))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    fn refused(words: &[&str]) -> String {
        let words = ["ghost", "run"].iter().chain(words);
        Arguments::try_parse_from(words).err().expect("it is refused").to_string()
    }

    #[test]
    fn options_come_before_the_script_and_are_known() {
        assert!(refused(&["--timeot", "1s", "x.js"]).contains("--timeout"));
        assert!(refused(&["-e", "code", "--fast"]).contains("--fast"));
        assert!(Arguments::try_parse_from(["ghost", "run", "x.js", "--fast", "--", "-e"]).is_ok());
        assert!(Arguments::try_parse_from(["ghost", "run", "-e", "code", "--", "--fast"]).is_ok());
    }
}
