//! One run of a script: what it is given, what it may use, what came of it.

use std::{path::PathBuf, time::Duration};

use crate::workspace::Workspace;

/// Where a script comes from; it decides what the script may touch and its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user's own script.
    #[default]
    Local,
    /// An AI client, through the Model Context Protocol: no external namespaces.
    Mcp,
}

/// What one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time, of the script and of what the host does for it.
    pub time: Duration,
    /// The script's memory, in bytes.
    pub memory: u64,
    /// What `console` may write, in bytes; the rest is dropped, and one line says how much.
    pub console: usize,
    /// The result's JSON: bytes for [`Origin::Local`], characters for [`Origin::Mcp`], which gets a cut result.
    pub result: usize,
}

impl Limits {
    /// The defaults for an origin.
    pub fn of(origin: Origin) -> Self {
        match origin {
            Origin::Local => Self { time: Duration::from_secs(300), memory: 256 << 20, console: 16 << 20, result: 64 << 20 },
            Origin::Mcp => Self { time: Duration::from_secs(60), memory: 128 << 20, console: 16 << 10, result: 24_000 },
        }
    }
}

/// How much a line of the console matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `console.debug`
    Debug,
    /// `console.log` and `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

/// Takes what a script writes to its console, a call at a time, without the line's end.
pub type ConsoleSink = Box<dyn FnMut(Level, &str) + Send>;

/// What a run is given.
pub struct RunOptions {
    /// Where `g.store` and its siblings keep their data; without one they fail with `NO_WORKSPACE`.
    pub workspace: Option<Workspace>,
    /// Where the script comes from.
    pub origin: Origin,
    /// The arguments of `main`, as JSON.
    pub arguments: Vec<String>,
    /// What the run may use.
    pub limits: Limits,
    /// Takes the console; without one it is collected in [`Outcome::console`].
    pub console: Option<ConsoleSink>,
    /// The folder of local paths (`--dir`).
    pub dir: Option<PathBuf>,
}

/// One line of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function's name, where it has one.
    pub function: Option<String>,
    /// The name that the script was given.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 units; none where it can't be known.
    pub column: Option<u32>,
}

/// What a script threw, or why it could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The class, `TypeError`; none for a thrown value that is not an Error.
    pub name: Option<String>,
    /// The message, or the thrown value as the console shows it.
    pub message: String,
    /// Innermost first.
    pub stack: Vec<Frame>,
    /// The fields of an error that `g` threw.
    pub code: Option<String>,
    /// The namespace that threw, `store`.
    pub namespace: Option<String>,
    /// The method that threw, `put`.
    pub method: Option<String>,
    /// More to act on: a JSON object.
    pub details: Option<String>,
}

/// Why a run gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// A value left `main`, or a rejection was handled by nobody.
    Exception(Exception),
    /// `main` waits for something that can't come (code `STALLED`).
    Stalled,
    /// The run was longer than its limit.
    Time {
        /// [`Limits::time`]
        limit: Duration,
    },
    /// The script used up its memory.
    Memory {
        /// [`Limits::memory`]
        limit: u64,
    },
    /// The result is larger than its limit.
    ResultSize {
        /// In bytes.
        size: usize,
        /// [`Limits::result`]
        limit: usize,
    },
    /// The workspace failed; what the script had written and was not yet on disk is lost.
    Storage {
        /// How many of its calls were not saved.
        lost_calls: u64,
        /// What happened, without a path.
        message: String,
    },
    /// The script can't be run at all: it fits no world, or not this origin.
    NotStarted(String),
    /// A fault of the host; the reference is also in its log.
    Internal {
        /// Also in the log.
        reference: String,
    },
}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// From the start to the outcome.
    pub time: Duration,
    /// The most memory the script had, in bytes.
    pub peak_memory: u64,
    /// How many methods of `g` it called.
    pub host_calls: u64,
    /// How many commits of the workspace happened during the run.
    pub commits: u64,
}

/// A line that the console wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// How much it matters.
    pub level: Level,
    /// Without the line's end.
    pub text: String,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The JSON of what `main` returned; none for `undefined`.
    pub result: Result<Option<String>, Failure>,
    /// What it wrote, when [`RunOptions::console`] took it not.
    pub console: Vec<ConsoleLine>,
    /// What it cost.
    pub figures: Figures,
}
