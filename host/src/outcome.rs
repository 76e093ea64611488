//! What came of a run.

use std::{fmt, time::Duration};

use crate::{Exception, Level};

/// Why a run gave no result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// A value left `main`, a rejection was handled by nobody, or the source could not be compiled.
    Exception(Box<Exception>),
    /// `main` waits for something that can't come (code `STALLED`).
    Stalled,
    /// The run was longer than its limit.
    Time {
        /// [`Limits::time`](crate::Limits::time)
        limit: Duration,
    },
    /// The script used up its memory.
    Memory {
        /// [`Limits::memory`](crate::Limits::memory)
        limit: u64,
    },
    /// Compiling the component takes more memory than the limit leaves room for.
    Compiler {
        /// [`Limits::memory`](crate::Limits::memory)
        limit: u64,
    },
    /// The component has larger tables than any may have.
    Tables {
        /// How many entries all of them may have.
        limit: usize,
    },
    /// The result is larger than its limit.
    ResultSize {
        /// In bytes.
        size: usize,
        /// [`Limits::result`](crate::Limits::result)
        limit: usize,
    },
    /// The workspace failed: what the script had written and was not yet on disk is given up as a whole.
    Storage {
        /// How many of its calls were not saved.
        lost_calls: u64,
        /// What happened.
        message: String,
    },
    /// The component ended by itself and not by returning: it trapped, exited or broke the rules of its interface. Says
    /// which, as the end of a sentence.
    Trap(String),
    /// The script can't be run at all: it is no component, fits no world, or not this origin.
    NotStarted(String),
    /// A fault of the host.
    Internal {
        /// Stands in the host's log beside the cause.
        reference: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exception(exception) => match &exception.name {
                Some(name) => write!(f, "{name}: {}", exception.message),
                None => f.write_str(&exception.message),
            },
            Self::Stalled => f.write_str("main can never settle: nothing is in flight, and no timer runs"),
            Self::Time { limit } => {
                write!(f, "the script ran for longer than its limit of {}", humantime::format_duration(*limit))
            }
            Self::Memory { limit } => write!(f, "the script used up its memory of {} MiB", limit >> 20),
            Self::Compiler { limit } => {
                write!(f, "compiling the component takes more than the memory of {} MiB leaves room for", limit >> 20)
            }
            Self::Tables { limit } => write!(f, "the component's tables have more than {limit} entries, the limit"),
            Self::ResultSize { size, limit } => write!(f, "the result is {size} bytes, the limit is {limit}"),
            Self::Storage { lost_calls, message } => {
                let were = if *lost_calls == 1 { "was" } else { "were" };
                write!(f, "{message}; {lost_calls} of the script's calls {were} not saved")
            }
            Self::Trap(trap) => write!(f, "the script's component {trap}"),
            Self::NotStarted(reason) => f.write_str(reason),
            Self::Internal { reference } => write!(f, "internal error (reference {reference})"),
        }
    }
}

impl std::error::Error for Failure {}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// From the start to the outcome.
    pub time: Duration,
    /// The most memory the script had, in bytes.
    pub peak_memory: u64,
    /// How many methods of `g` it called.
    pub host_calls: u64,
    /// How many commits of its workspace happened while it ran, for whatever run.
    pub commits: u64,
}

/// What one call of the console wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// How much it matters.
    pub level: Level,
    /// One line or several, without the last one's end.
    pub text: String,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The JSON of what `main` returned; none for `undefined`.
    pub result: Result<Option<String>, Failure>,
    /// What it wrote, unless [`RunOptions::console`](crate::RunOptions::console) took it.
    pub console: Vec<ConsoleLine>,
    /// What the host has to say of the run, for whoever wrote the script: that a list without a limit left documents out.
    pub notices: Vec<String>,
    /// What it cost.
    pub figures: Figures,
}
