//! The one error of a call: a code to act on, a message to read, a cause for the log.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

use super::ghost::g::types::ErrorCode;

/// Why a call failed. The script sees code, message and details; the cause is for the log alone.
#[derive(Debug)]
pub struct Error {
    /// What to act on.
    pub code: ErrorCode,
    /// What was given and what is allowed, in lower case.
    pub message: String,
    /// More to act on: an object.
    pub details: Option<Value>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    ends_run: bool,
}

impl Error {
    /// An error with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, cause: None, ends_run: false }
    }

    /// An argument, a name or a value is not allowed.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// An argument, or a part of one, is of the wrong kind.
    pub fn wrong_kind(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::WrongKind, message)
    }

    /// The host failed: the script learns only that.
    pub(crate) fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(ErrorCode::Internal, "internal error").because(cause)
    }

    /// An error that the script can't catch.
    pub(crate) fn ending(message: String) -> Self {
        Self { ends_run: true, ..Self::new(ErrorCode::Internal, message) }
    }

    /// The same error with what led to it, for the log.
    #[must_use]
    pub(crate) fn because(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The same error with more to act on.
    #[must_use]
    pub(crate) fn detailed(mut self, details: Option<Value>) -> Self {
        self.details = details;
        self
    }

    /// Whether the run ends with this error, so that the script can't catch it.
    pub(crate) fn ends_run(&self) -> bool {
        self.ends_run
    }
}

/// What an outcome says of a fault of the host, and its log beside the cause: unlike those of other processes and times.
pub(crate) fn reference() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    format!("{time:x}-{:x}-{:x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
