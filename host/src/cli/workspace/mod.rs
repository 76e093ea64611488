//! `ghost workspace`: what belongs to all of a workspace.

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
    place::Place,
    progress::Spinner,
    prompt, report,
    table::{self, counted},
    trouble::{self, Trouble},
    unwritable, workspace_in,
};

const EXAMPLES: &str = "Examples:
  ghost workspace info                      what is in it
  ghost workspace backup monday.backup      copy it into a file
  ghost workspace restore monday.backup     put the copy in its place";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Workspace {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Place,
}

#[derive(Subcommand)]
enum Command {
    /// Tells what is in the workspace, and how much
    #[command(after_help = "Examples:
  ghost workspace info
  ghost workspace info --json | jq .fileBytes")]
    Info {
        /// Prints one JSON value also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Reads all of the workspace and tells what is wrong with it
    ///
    /// Nothing is wrong: exit status 0. Something is: 1. Other processes wait meanwhile; those that have no time for it
    /// fail with BUSY after 5 s.
    #[command(after_help = "Examples:
  ghost workspace check && ghost workspace backup monday.backup
  ghost workspace check --json | jq .problems")]
    Check {
        /// Prints one JSON value: how many problems there are, and the first of them
        #[arg(long)]
        json: bool,
    },
    /// Makes the database as small as it can be
    ///
    /// Other processes wait meanwhile; those that have no time for it fail with BUSY after 5 s. A crash in the middle loses
    /// nothing.
    #[command(after_help = "Example:
  ghost workspace compact")]
    Compact {
        /// Prints one JSON value: the sizes in bytes
        #[arg(long)]
        json: bool,
    },
    /// Copies the workspace into a file
    ///
    /// Every call that returned before is in it, and no half of one, also while others write. They wait while the file is
    /// copied: for a moment where the file system can share blocks (btrfs, XFS), else about a second for each GiB.
    #[command(after_help = "Examples:
  ghost workspace backup monday.backup
  ghost workspace backup --force latest.backup
  ghost workspace backup - | gzip > monday.backup.gz")]
    Backup {
        /// The file to write, or `-` for standard output
        file: PathBuf,
        /// Replaces a file that is there
        #[arg(long)]
        force: bool,
    },
    /// Puts a backup in place of the workspace, or makes one of it
    ///
    /// All of the file is checked first. Then the workspace is replaced in one step: others see the old one or the new one.
    /// They wait meanwhile; those that have no time for it fail with BUSY after 5 s. A workspace that holds something is
    /// replaced when somebody says so: on a terminal it asks, elsewhere it needs --force (or --yes).
    #[command(after_help = "Examples:
  ghost workspace restore monday.backup
  ghost workspace restore --force monday.backup
  ghost workspace restore --workspace elsewhere monday.backup")]
    Restore {
        /// The backup
        file: PathBuf,
        /// Replaces a workspace that holds something, or can't be opened; does not ask
        #[arg(long, visible_alias = "yes", visible_short_alias = 'y')]
        force: bool,
    },
}

impl Workspace {
    pub(crate) fn run(self) -> Exit {
        trouble::exit(match &self.command {
            Command::Info { json } => self.info(*json),
            Command::Check { json } => self.check(*json),
            Command::Compact { json } => self.compact(*json),
            Command::Backup { file, .. } if file == Path::new("-") => self.print_backup(),
            Command::Backup { file, force } => self.backup(file, *force),
            Command::Restore { file, force } => self.restore(file, *force),
        })
    }

    fn info(&self, json: bool) -> Result<Exit, Trouble> {
        let (folder, workspace) = (self.place.folder()?.folder, self.place.existing()?);
        let info = workspace.info()?;
        Ok(match table::width() {
            Some(width) if !json => deliver(&info::for_people(&info, &workspace_in(&folder), width)),
            _ => print_json(&info::InfoLine::of(&info)),
        })
    }

    fn check(&self, json: bool) -> Result<Exit, Trouble> {
        let stop = interrupt::flag_with_grace(interrupt::SHORT_GRACE)?;
        let (folder, workspace) = (self.place.folder()?.folder, self.place.existing()?);
        workspace.interrupt_when(Arc::clone(&stop));
        let spinner = Spinner::new("checking the workspace", &stop);
        let checked = workspace.check();
        drop(spinner);
        let problems = match checked {
            Ok(problems) => problems,
            Err(error) if stop.load(Ordering::Acquire) => return Err(interrupted(error, &stop, "")),
            // It can't even be opened: that is what was asked. One that is busy is not damaged.
            Err(error) if error.code != ghost::ErrorCode::Busy && folder.join(".ghost").exists() => {
                return Err(Trouble::failed(format!("{}; {ADVICE}", error.message)));
            }
            Err(error) => return Err(error.into()),
        };
        let exit = if problems.count == 0 { Exit::Success } else { Exit::Failed };
        if json {
            let printed = print_json(&Checked { problems: problems.count, first: &problems.first });
            return Ok(if printed == Exit::Success { exit } else { printed });
        }
        if problems.count == 0 {
            return Ok(deliver("nothing is wrong with the workspace"));
        }
        problems.first.iter().for_each(|problem| report::message(problem));
        let more = problems.count - problems.first.len();
        if more > 0 {
            report::message(&format!("and {} more", HumanCount(more as u64)));
        }
        report::note(ADVICE);
        Ok(exit)
    }

    fn compact(&self, json: bool) -> Result<Exit, Trouble> {
        let stop = interrupt::flag_with_grace(interrupt::SHORT_GRACE)?;
        let workspace = self.place.existing()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let spinner = Spinner::new("making the database smaller", &stop);
        let compacted = workspace.compact();
        drop(spinner);
        let done = compacted.map_err(|error| interrupted(error, &stop, ""))?;
        if json {
            return Ok(print_json(&Smaller { bytes_before: done.before, bytes_after: done.after }));
        }
        let (before, after) = (BinaryBytes(done.before), BinaryBytes(done.after));
        Ok(deliver(&format!("the workspace takes {after}, it was {before}")))
    }

    /// By way of a file: a reader may take its time, and others wait for the workspace until the copy is made.
    fn print_backup(&self) -> Result<Exit, Trouble> {
        if io::stdout().is_terminal() {
            return Err(String::from("a backup is no text for a terminal: name a file, or send it to a program").into());
        }
        let unmade = |error| Trouble::failed(format!("the copy can't be made: {}", reason(&error)));
        // For the user's eyes alone, as the workspace is.
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().map_err(unmade)?;
        let file = folder.path().join("copy");
        self.copy(&file, false)?;
        let mut copy = File::open(&file).map_err(unmade)?;
        let mut out = io::stdout().lock();
        let printed = io::copy(&mut copy, &mut out).and_then(|_| out.flush());
        printed.map_err(|error| Trouble::failed(unwritable(&error)))?;
        Ok(Exit::Success)
    }

    fn backup(&self, file: &Path, force: bool) -> Result<Exit, Trouble> {
        let size = self.copy(file, force)?;
        report::note(&format!("copied the workspace into {}, {}", file.display(), BinaryBytes(size)));
        Ok(Exit::Success)
    }

    /// Gives the size.
    fn copy(&self, file: &Path, force: bool) -> Result<u64, Trouble> {
        let stop = interrupt::flag()?;
        let workspace = self.place.existing()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let spinner = Spinner::new("copying the workspace", &stop);
        let copied = workspace.backup(file, existing(force), &stop);
        drop(spinner);
        copied.map_err(|error| interrupted(error, &stop, "to replace it: --force"))
    }

    /// The workspace that a backup would replace, in words; none when there is none, or an empty one.
    fn replaced(&self) -> Result<Option<String>, Trouble> {
        let chosen = self.place.made_folder()?;
        let workspace = chosen.workspace(Create::Never);
        if !workspace.exists()? {
            return Ok(None);
        }
        let info = workspace.info();
        let closed = workspace.close();
        Ok(match info.and_then(|info| closed.map(|()| info)) {
            Ok(info) if info.collections.is_empty() && info.queues.is_empty() && info.searched.is_empty() => None,
            Ok(info) => Some(holding(&chosen.folder, &info)),
            Err(error) if error.code == ghost::ErrorCode::Busy => return Err(error.into()),
            Err(_) => Some(format!("the workspace in {} (it can't be opened)", workspace_in(&chosen.folder))),
        })
    }

    fn restore(&self, file: &Path, force: bool) -> Result<Exit, Trouble> {
        let replaced = if force || !prompt::can_ask() { None } else { self.replaced()? };
        if let Some(replaced) = &replaced
            && !prompt::permits(force, || format!("replace {replaced} by {}?", file.display()))?
        {
            return Ok(Exit::Failed);
        }
        let force = force || replaced.is_some();
        let stop = interrupt::flag()?;
        let chosen = self.place.made_folder()?;
        let spinner = Spinner::new("checking the backup and restoring it", &stop);
        let restored = chosen.workspace(Create::Never).restore(file, existing(force), &stop);
        drop(spinner);
        restored.map_err(|error| interrupted(error, &stop, "to replace it: --force"))?;
        report::note(&format!("restored the workspace in {} from {}", workspace_in(&chosen.folder), file.display()));
        Ok(Exit::Success)
    }
}

/// `the workspace in .ghost (3 documents, 1 item, 0 documents of g.search)`
fn holding(folder: &Path, info: &Info) -> String {
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

const ADVICE: &str = "to put a backup in its place: ghost workspace restore --force FILE; \
                      to save the documents that can be read: ghost store export > FILE";

fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

fn interrupted(error: ghost::Error, stop: &AtomicBool, advice: &str) -> Trouble {
    if stop.load(Ordering::Acquire) {
        return Trouble { exit: Exit::Interrupted, message: "interrupted; nothing was changed".into() };
    }
    let can_be_replaced = error.code == ghost::ErrorCode::Conflict;
    let trouble = Trouble::from(error);
    if can_be_replaced { Trouble::failed(format!("{}; {advice}", trouble.message)) } else { trouble }
}

/// What `check` prints as JSON.
#[derive(Serialize)]
struct Checked<'c> {
    problems: usize,
    first: &'c [String],
}

/// What `compact` prints as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Smaller {
    bytes_before: u64,
    bytes_after: u64,
}
