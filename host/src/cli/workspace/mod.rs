//! `ghost workspace`: shows, checks, compacts, backs up and restores a workspace.

mod info;

use std::{
    fs::{File, Permissions},
    io::{self, IsTerminal, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::{Args, Subcommand};
use ghost::workspace::{Create, Existing, Info};
use indicatif::{BinaryBytes, HumanCount};
use serde::Serialize;

use super::{
    Exit, deliver,
    input::reason,
    interrupt,
    json::print_json,
    problem::{self, Problem},
    progress::Spinner,
    prompt, report,
    table::{self, counted},
    unwritable,
    workspace_args::WorkspaceArgs,
    workspace_in,
};

const EXAMPLES: &str = "Examples:
  ghost workspace info                      show its contents
  ghost workspace backup monday.backup      copy it to a file
  ghost workspace restore monday.backup     replace it with the copy";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Workspace {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Shows what the workspace contains, and its size
    #[command(after_help = "Examples:
  ghost workspace info
  ghost workspace info --json | jq .fileBytes")]
    Info {
        /// Prints JSON instead of tables, also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Verifies the integrity of the workspace
    ///
    /// Reads the complete workspace and prints the problems. The exit status is 0 without problems, 1 with problems.
    /// Meanwhile, calls of other processes wait for up to 5 s, and then fail with BUSY.
    #[command(after_help = "Examples:
  ghost workspace check && ghost workspace backup monday.backup
  ghost workspace check --json | jq .problems")]
    Check {
        /// Prints JSON: the number of problems, and a list of the first 20
        #[arg(long)]
        json: bool,
    },
    /// Reduces the size of the database on disk
    ///
    /// Meanwhile, calls of other processes wait for up to 5 s, and then fail with BUSY. A crash during the command loses no
    /// data.
    #[command(after_help = "Example:
  ghost workspace compact")]
    Compact {
        /// Prints JSON: the sizes in bytes, before and after
        #[arg(long)]
        json: bool,
    },
    /// Copies the workspace to a file
    ///
    /// The backup is consistent: it contains the effects of all calls that returned before the backup began, and of no
    /// other call. Other processes may write to the workspace; their calls wait while the file is copied, which takes a moment
    /// where the file system can share blocks (btrfs, XFS), and about a second per GiB elsewhere. The backup contains no
    /// secrets.
    #[command(after_help = "Examples:
  ghost workspace backup monday.backup
  ghost workspace backup --force latest.backup
  ghost workspace backup - | gzip > monday.backup.gz")]
    Backup {
        /// The file to write, or `-` for standard output
        file: PathBuf,
        /// Replaces an existing file
        #[arg(long)]
        force: bool,
    },
    /// Replaces the workspace with a backup, or creates one from it
    ///
    /// The backup is verified first; then the workspace is replaced in one step, so that other processes see either the old
    /// workspace or the new one. Meanwhile, their calls wait for up to 5 s, and then fail with BUSY. If the workspace is not
    /// empty, ghost asks for confirmation on a terminal, and requires --force (or --yes) elsewhere. Indexes are not part of
    /// a backup; the next query rebuilds them.
    #[command(after_help = "Examples:
  ghost workspace restore monday.backup
  ghost workspace restore --force monday.backup
  ghost workspace restore --workspace elsewhere monday.backup")]
    Restore {
        /// The backup
        file: PathBuf,
        /// Replaces a workspace that is not empty or can't be opened, without confirmation
        #[arg(long, visible_alias = "yes", visible_short_alias = 'y')]
        force: bool,
    },
}

impl Workspace {
    pub(crate) fn run(self) -> Exit {
        problem::exit(match &self.command {
            Command::Info { json } => self.info(*json),
            Command::Check { json } => self.check(*json),
            Command::Compact { json } => self.compact(*json),
            Command::Backup { file, .. } if file == Path::new("-") => self.print_backup(),
            Command::Backup { file, force } => self.backup(file, *force),
            Command::Restore { file, force } => self.restore(file, *force),
        })
    }

    fn info(&self, json: bool) -> Result<Exit, Problem> {
        let (folder, workspace) = (self.workspace.folder()?.folder, self.workspace.existing()?);
        let info = workspace.info()?;
        Ok(match table::width() {
            Some(width) if !json => deliver(&info::for_terminal(&info, &workspace_in(&folder), width)),
            _ => print_json(&info::InfoLine::of(&info)),
        })
    }

    fn check(&self, json: bool) -> Result<Exit, Problem> {
        let stop = interrupt::flag_with_last_words(interrupt::SHORT_GRACE, || report::error(INTERRUPTED))?;
        let (folder, workspace) = (self.workspace.folder()?.folder, self.workspace.existing()?);
        workspace.interrupt_when(Arc::clone(&stop));
        let spinner = Spinner::new("checking the workspace", &stop);
        let checked = workspace.check();
        drop(spinner);
        let problems = match checked {
            Ok(problems) => problems,
            Err(error) if stop.load(Ordering::Acquire) => return Err(interrupted(error, &stop, "")),
            // A workspace that can't be opened is a result of the check; a busy one is not.
            Err(error) if error.code != ghost::ErrorCode::Busy && folder.join(".ghost").exists() => {
                return Err(Problem::failed(format!("{}; {ADVICE}", error.message)));
            }
            Err(error) => return Err(error.into()),
        };
        let exit = if problems.count == 0 { Exit::Success } else { Exit::Failed };
        if json {
            let printed = print_json(&Checked { problems: problems.count, first: &problems.first });
            return Ok(if printed == Exit::Success { exit } else { printed });
        }
        if problems.count == 0 {
            return Ok(deliver("the workspace has no problems"));
        }
        problems.first.iter().for_each(|problem| report::error(problem));
        let more = problems.count - problems.first.len();
        if more > 0 {
            report::error(&format!("and {} more", HumanCount(more as u64)));
        }
        if problems.count > problems.indexes {
            report::note(ADVICE);
        }
        Ok(exit)
    }

    fn compact(&self, json: bool) -> Result<Exit, Problem> {
        let stop = interrupt::flag_with_last_words(interrupt::SHORT_GRACE, || report::error(INTERRUPTED))?;
        let workspace = self.workspace.existing()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let spinner = Spinner::new("compacting the database", &stop);
        let compacted = workspace.compact();
        drop(spinner);
        let done = compacted.map_err(|error| interrupted(error, &stop, ""))?;
        if json {
            return Ok(print_json(&Compacted { bytes_before: done.before, bytes_after: done.after }));
        }
        let (before, after) = (BinaryBytes(done.before), BinaryBytes(done.after));
        Ok(deliver(&format!("the workspace takes {after}; before, it took {before}")))
    }

    /// Prints a backup. Copies it to a temporary file first, because other processes wait for the workspace while it is
    /// copied, and a reader may be slow.
    fn print_backup(&self) -> Result<Exit, Problem> {
        if io::stdout().is_terminal() {
            return Err(String::from(
                "a backup can't be printed on a terminal: name a file, or redirect standard output",
            )
            .into());
        }
        let unmade = |error| Problem::failed(format!("the copy can't be created: {}", reason(&error)));
        // Accessible only to the user, like the workspace.
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().map_err(unmade)?;
        let file = folder.path().join("copy");
        self.copy(&file, false)?;
        let mut copy = File::open(&file).map_err(unmade)?;
        let mut out = io::stdout().lock();
        let printed = io::copy(&mut copy, &mut out).and_then(|_| out.flush());
        printed.map_err(|error| Problem::failed(unwritable(&error)))?;
        Ok(Exit::Success)
    }

    fn backup(&self, file: &Path, force: bool) -> Result<Exit, Problem> {
        let size = self.copy(file, force)?;
        report::note(&format!("copied the workspace to {}, {}", file.display(), BinaryBytes(size)));
        Ok(Exit::Success)
    }

    /// Copies the workspace to a file. Returns its size in bytes.
    fn copy(&self, file: &Path, force: bool) -> Result<u64, Problem> {
        let stop = interrupt::flag()?;
        let workspace = self.workspace.existing()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let spinner = Spinner::new("copying the workspace", &stop);
        let copied = workspace.backup(file, existing(force), &stop);
        drop(spinner);
        copied.map_err(|error| interrupted(error, &stop, "to replace it, use --force"))
    }

    /// Describes the workspace that a backup would replace; none if there is none, or an empty one.
    fn replaced(&self) -> Result<Option<String>, Problem> {
        let chosen = self.workspace.created_folder()?;
        let workspace = chosen.workspace(Create::Never);
        if !workspace.exists()? {
            return Ok(None);
        }
        let info = workspace.info();
        let closed = workspace.close();
        Ok(match info.and_then(|info| closed.map(|()| info)) {
            Ok(info) if info.collections.is_empty() && info.queues.is_empty() && info.searched.is_empty() => None,
            Ok(info) => Some(description(&chosen.folder, &info)),
            Err(error) if error.code == ghost::ErrorCode::Busy => return Err(error.into()),
            Err(_) => Some(format!("the workspace in {} (it can't be opened)", workspace_in(&chosen.folder))),
        })
    }

    fn restore(&self, file: &Path, force: bool) -> Result<Exit, Problem> {
        let replaced = if force || !prompt::can_ask() { None } else { self.replaced()? };
        if let Some(replaced) = &replaced
            && !prompt::confirm(force, || format!("replace {replaced} with {}?", file.display()))?
        {
            return Ok(Exit::Failed);
        }
        let force = force || replaced.is_some();
        let stop = interrupt::flag()?;
        let chosen = self.workspace.created_folder()?;
        let spinner = Spinner::new("verifying and restoring the backup", &stop);
        let restored = chosen.workspace(Create::Never).restore(file, existing(force), &stop);
        drop(spinner);
        restored.map_err(|error| interrupted(error, &stop, "to replace it, use --force"))?;
        report::note(&format!("restored the workspace in {} from {}", workspace_in(&chosen.folder), file.display()));
        Ok(Exit::Success)
    }
}

/// `the workspace in .ghost (3 documents, 1 item, 0 documents of g.search)`
fn description(folder: &Path, info: &Info) -> String {
    let documents = info.collections.iter().map(|collection| collection.documents).sum();
    let items = info.queues.iter().map(|queue| queue.counts.items()).sum();
    let indexed = info.searched.iter().map(|searched| searched.documents).sum();
    format!(
        "the workspace in {} ({}, {}, {} of g.search)",
        workspace_in(folder),
        counted(documents, "document"),
        counted(items, "item"),
        counted(indexed, "document")
    )
}

const ADVICE: &str = "to replace the workspace with a backup: ghost workspace restore --force FILE; \
                      to save the readable documents: ghost store export > FILE";

const INTERRUPTED: &str = "interrupted; nothing was changed";

fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

fn interrupted(error: ghost::Error, stop: &AtomicBool, advice: &str) -> Problem {
    if stop.load(Ordering::Acquire) {
        return Problem { exit: Exit::Interrupted, message: INTERRUPTED.into() };
    }
    let can_be_replaced = error.code == ghost::ErrorCode::Conflict;
    let problem = Problem::from(error);
    if can_be_replaced { Problem::failed(format!("{}; {advice}", problem.message)) } else { problem }
}

/// The output of `check` as JSON.
#[derive(Serialize)]
struct Checked<'c> {
    problems: usize,
    first: &'c [String],
}

/// The output of `compact` as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Compacted {
    bytes_before: u64,
    bytes_after: u64,
}
