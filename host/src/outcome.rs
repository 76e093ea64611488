//! The outcome of a run.

use std::{fmt, time::Duration};

use serde::de::DeserializeOwned;

use crate::{Exception, Level};

/// The reason why a run has no result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// `main` threw or rejected, a rejection was not handled, or the source could not be compiled.
    Exception(Box<Exception>),
    /// `main` waits for a promise that can't settle (code `STALLED`).
    Stalled,
    /// The run took longer than its time limit.
    Time {
        /// [`Limits::time`](crate::Limits::time)
        limit: Duration,
    },
    /// The script reached its memory limit.
    Memory {
        /// [`Limits::memory`](crate::Limits::memory)
        limit: u64,
    },
    /// Compiling the component takes more memory than the limit allows.
    Compiler {
        /// [`Limits::memory`](crate::Limits::memory)
        limit: u64,
    },
    /// The tables of the component are larger than allowed.
    WasmTables {
        /// The maximum number of entries of all tables.
        limit: usize,
    },
    /// The result is larger than its limit.
    ResultSize {
        /// The size of the result, in bytes.
        size: usize,
        /// [`Limits::result`](crate::Limits::result)
        limit: usize,
    },
    /// The workspace failed: all writes of the script that were not on disk yet are lost.
    Storage {
        /// The number of its calls whose writes were not saved.
        lost_calls: u64,
        /// Describes the error.
        message: String,
    },
    /// The component did not return: it trapped, exited or violated its interface. Contains the predicate of the message,
    /// such as `trapped: …`.
    Trap(String),
    /// The script can't be run: it is not a component, does not match the world, or is not allowed for its origin.
    NotStarted(String),
    /// An internal error of ghost.
    Internal {
        /// Identifies the entry of the host's log that contains the cause.
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
            Self::Stalled => f.write_str("main can never settle: no call is in flight, and no timer is running"),
            Self::Time { limit } => {
                write!(f, "the script ran for longer than its limit of {}", humantime::format_duration(*limit))
            }
            Self::Memory { limit } => write!(f, "the script reached its memory limit of {} MiB", limit >> 20),
            Self::Compiler { limit } => {
                write!(f, "compiling the component takes more memory than the limit of {} MiB allows", limit >> 20)
            }
            Self::WasmTables { limit } => {
                write!(f, "the tables of the component have more than {limit} entries, which is the limit")
            }
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

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The time from the start to the outcome.
    pub time: Duration,
    /// The peak memory of the script, in bytes.
    pub peak_memory: u64,
    /// The number of calls of methods of `g`.
    pub host_calls: u64,
    /// The number of commits of its workspace during the run, including those for other runs.
    pub commits: u64,
}

/// The output of one call of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// The severity.
    pub level: Level,
    /// One or more lines, without the last line break.
    pub text: String,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The return value of `main` as JSON; none for `undefined`.
    pub result: Result<Option<String>, Failure>,
    /// Whether the result exceeded its limit ([`Origin::Mcp`](crate::Origin::Mcp)); it is then the JSON of an object with
    /// the size of the whole result (`size`) and its beginning (`preview`).
    pub truncated: bool,
    /// The console output, unless it went to [`RunOptions::console`](crate::RunOptions::console).
    pub console: Vec<ConsoleLine>,
    /// Notes for the author of the script, for example that a list without a limit has omitted documents.
    pub notices: Vec<String>,
    /// The cost of the run.
    pub figures: Figures,
}

impl Outcome {
    /// Returns the result as a value: a type that [serde](https://serde.rs) can deserialize. `undefined` is read as `null`.
    ///
    /// ```
    /// # async fn example(outcome: ghost::Outcome) -> Result<(), ghost::ValueError> {
    /// let (name, count): (String, u64) = outcome.value()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`ValueError::Failed`] when the run failed, and with [`ValueError::OtherType`] when the result does not have
    /// the type.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, ValueError> {
        let json = self.result.as_ref().map_err(|failure| ValueError::Failed(failure.clone()))?;
        serde_json::from_str(json.as_deref().unwrap_or("null")).map_err(ValueError::OtherType)
    }
}

/// The reason why an outcome has no value of a type.
#[derive(Debug)]
#[non_exhaustive]
pub enum ValueError {
    /// The run failed.
    Failed(Failure),
    /// The result does not have the type.
    OtherType(serde_json::Error),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => failure.fmt(f),
            Self::OtherType(error) => write!(f, "the result of the script does not have the expected type: {error}"),
        }
    }
}

impl std::error::Error for ValueError {}
