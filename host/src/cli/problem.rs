//! The error of a command.

use ghost::ErrorCode;

use super::{Exit, report};

/// A message and an exit status.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Problem {
    /// Creates the error of a command that has started.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into() }
    }

    /// Prints the message, and returns the exit status.
    pub(crate) fn report(&self) -> Exit {
        report::error(&self.message);
        self.exit
    }
}

/// Creates the error of a command that could not start.
impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { exit: Exit::NotStarted, message }
    }
}

impl From<ghost::Error> for Problem {
    fn from(error: ghost::Error) -> Self {
        let exit = match error.code {
            ErrorCode::InvalidArgument | ErrorCode::WrongKind | ErrorCode::NoWorkspace => Exit::NotStarted,
            _ => Exit::Failed,
        };
        Self { exit, message: error.message }
    }
}

/// Returns the exit status of a command, and prints its error.
pub(crate) fn exit(done: Result<Exit, Problem>) -> Exit {
    done.unwrap_or_else(|problem| problem.report())
}
