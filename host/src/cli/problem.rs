//! Why a command did not do what it was told to.

use ghost::ErrorCode;

use super::{Exit, report};

/// What is said, and the exit status.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Trouble {
    /// It was begun, and failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into() }
    }

    /// Tells it.
    pub(crate) fn tell(&self) -> Exit {
        report::message(&self.message);
        self.exit
    }
}

/// What the command line asks for can't be done at all.
impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self { exit: Exit::NotStarted, message }
    }
}

impl From<ghost::Error> for Trouble {
    fn from(error: ghost::Error) -> Self {
        let exit = match error.code {
            ErrorCode::InvalidArgument | ErrorCode::WrongKind | ErrorCode::NoWorkspace => Exit::NotStarted,
            _ => Exit::Failed,
        };
        Self { exit, message: error.message }
    }
}

/// Tells what is in the way, if something is.
pub(crate) fn exit(done: Result<Exit, Trouble>) -> Exit {
    done.unwrap_or_else(|trouble| trouble.tell())
}
