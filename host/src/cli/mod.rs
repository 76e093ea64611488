//! The command line: one file or folder for each subcommand.

mod compile;
mod compiler;
mod completions;
mod environment;
mod execute;
mod files;
mod init;
mod input;
mod inspect;
mod interrupt;
mod json;
#[cfg(feature = "mcp")]
mod mcp;
mod problem;
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
mod types;
mod units;
mod width;
mod workspace;
mod workspace_args;

use std::{env, ffi::OsString, io, panic, path::Path, process::ExitCode};

use clap::{
    Parser, Subcommand,
    error::{ContextKind, ContextValue},
};

/// The exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// `main` returned.
    Success = 0,
    /// The script failed.
    Failed = 1,
    /// The script could not start.
    NotStarted = 2,
    /// A limit of the run stopped the script.
    Limit = 3,
    /// A signal interrupted the program.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Runs JavaScript in a sandbox and provides it with storage.
///
/// A script is one file that exports a function `main`. It has no direct access to files, the network or the
/// environment. It uses its arguments and the global `g`: documents (g.store), work queues (g.queue) and full-text
/// search (g.search) in a workspace folder; and, through stored secrets, PostgreSQL (g.sqldb), S3-compatible object
/// storage (g.objectstore), MongoDB (g.documentdb), and Elasticsearch and OpenSearch (g.clustersearch).
#[derive(Parser)]
#[command(version, max_term_width = 120, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  ghost init                                    create a workspace and g.d.ts
  ghost run hello.js Ada                        call main(\"Ada\")
  ghost run --input @packages.jsonl import.js   call main(records)
  ghost run --help                              show the options of ghost run";

#[derive(Subcommand)]
enum Command {
    /// Runs a script and prints the result of its main as JSON
    Run(run::Run),
    /// Compiles a script to a WebAssembly component that runs without the source file
    Compile(compile::Compile),
    /// Shows what a component is, and whether AI clients may run it
    Inspect(inspect::Inspect),
    /// Serves AI clients (Model Context Protocol): runs their scripts, and searches the reference for them
    #[cfg(feature = "mcp")]
    Mcp(mcp::Mcp),
    /// Shows and changes the documents of g.store
    Store(store::Store),
    /// Queries the documents of g.search and maintains their index
    Search(search::Search),
    /// Shows and changes the queues of g.queue
    Queue(queue::Queue),
    /// Shows, checks, compacts, backs up and restores the workspace
    Workspace(workspace::Workspace),
    /// Creates a workspace in a folder, with type declarations for editors
    Init(init::Init),
    /// Manages the connection strings that scripts use for external systems
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
    let words: Vec<_> = env::args_os().collect();
    if let Some(exit) = compiler::serve(&words) {
        return exit;
    }
    // Before anything that could start a thread.
    if let Err(error) = environment::take_secrets() {
        return not_started(&protection_failed(&error)).into();
    }
    // A panic inside a call, or of the database on corrupt pages, is caught and reported as an error; its place goes to
    // the log. A library host installs its own hook.
    panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    let exit = panic::catch_unwind(|| command(words)).unwrap_or_else(|_| {
        report::error("internal error: this is a bug in ghost");
        Exit::Failed
    });
    exit.into()
}

fn command(words: Vec<OsString>) -> Exit {
    match parse(words) {
        Ok(arguments) => match interrupt::exit_on_signal() {
            Ok(()) => arguments.command.run(),
            Err(error) => not_started(&format!("signal handlers can't be installed: {error}")),
        },
        Err(mut error) => match script_without_run(&error) {
            Some(script) => not_started(&format!("unknown command {script}; to run the script: ghost run {script}")),
            None => {
                // clap suggests to pass the unknown option as an argument (`-- --option`), which is not meant.
                error.remove(ContextKind::Suggested);
                tips::remove_destructive(&mut error);
                error.exit()
            }
        },
    }
}

impl Command {
    fn run(self) -> Exit {
        match self {
            Self::Run(run) => run.run(),
            Self::Compile(compile) => compile.run(),
            Self::Inspect(inspect) => inspect.run(),
            #[cfg(feature = "mcp")]
            Self::Mcp(mcp) => mcp.run(),
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

/// Parses the command line. `ghost help --help` and `ghost store help --help`, which clap refuses, show the help of the
/// command before `help`.
fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    Arguments::try_parse_from(&words).or_else(|error| match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if word == "--help" || word == "-h" => Arguments::try_parse_from(
            words.iter().enumerate().filter(|(at, word)| *at == 0 || *word != "help").map(|(_, word)| word),
        ),
        _ => Err(error),
    })
}

/// Returns the file that was given in place of a command.
fn script_without_run(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(word) if Path::new(word).is_file() => Some(word),
        _ => None,
    }
}

/// Returns the path of a workspace, relative or absolute as the user gave its folder.
fn workspace_in(folder: &Path) -> String {
    let workspace = folder.join(".ghost");
    workspace.strip_prefix(".").unwrap_or(&workspace).display().to_string()
}

/// Returns the message for a process that can't be protected from debuggers; no secret is read then.
fn protection_failed(error: &io::Error) -> String {
    format!(
        "this process can't be protected from debuggers, which is required before it reads secrets: {}",
        input::reason(error)
    )
}

/// Reports why the program could not start.
fn not_started(message: &str) -> Exit {
    report::error(message);
    Exit::NotStarted
}

/// Prints the output of a command. An error of standard output, such as a full disk, is a failure.
fn deliver(text: &str) -> Exit {
    delivered(terminal::print(text))
}

/// Prints a text that contains colour codes of ghost; everything else in it is escaped already.
fn deliver_styled(text: &str) -> Exit {
    delivered(terminal::print_styled(text))
}

fn delivered(printed: io::Result<()>) -> Exit {
    match printed {
        Ok(()) => Exit::Success,
        Err(error) => {
            report::error(&unwritable(&error));
            Exit::Failed
        }
    }
}

/// Returns the message for an error of standard output.
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

    #[test]
    fn help_has_a_help() {
        let shown = |words: &[&str]| {
            let words = ["ghost"].iter().chain(words).map(OsString::from).collect();
            let error = parse(words).err().expect("no command runs");
            assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{error}");
            error.to_string()
        };
        assert!(shown(&["help", "--help"]).contains("Usage: ghost <COMMAND>"));
        assert!(shown(&["store", "help", "-h"]).contains("Usage: ghost store"));
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
