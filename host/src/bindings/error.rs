//! The error of a call: a code, a message, details, and a cause for the log.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Map, Value};

use super::ghost::g::types::ErrorCode;

/// The error of a call. The script sees code, message and details; the cause only goes to the log.
#[derive(Debug)]
pub struct Error {
    /// The kind of the error.
    pub code: ErrorCode,
    /// States what was given and what is allowed, in lower case.
    pub message: String,
    /// Additional information, as a JSON object.
    pub details: Option<Value>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    ends_run: bool,
}

impl Error {
    /// Creates an error with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, cause: None, ends_run: false }
    }

    /// Creates an error for an argument, a name or a value that is not allowed.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// Creates an error for an argument, or a part of one, that has the wrong type.
    pub fn wrong_kind(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::WrongKind, message)
    }

    /// Creates an internal error of the host. The script does not see its cause.
    pub(crate) fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(ErrorCode::Internal, "internal error").because(cause)
    }

    /// Creates an error that ends the run, so that the script can't catch it.
    pub(crate) fn ending(message: String) -> Self {
        Self { ends_run: true, ..Self::new(ErrorCode::Internal, message) }
    }

    /// Sets the cause, for the log.
    #[must_use]
    pub(crate) fn because(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Sets the details.
    #[must_use]
    pub(crate) fn detailed(mut self, details: Option<Value>) -> Self {
        self.details = details;
        self
    }

    /// Adds a member to the details.
    #[must_use]
    pub(crate) fn with_detail(self, name: &str, value: impl Into<Value>) -> Self {
        let mut details = match &self.details {
            Some(Value::Object(details)) => details.clone(),
            _ => Map::new(),
        };
        details.insert(name.to_owned(), value.into());
        self.detailed(Some(details.into()))
    }

    /// Whether the error ends the run, so that the script can't catch it.
    pub(crate) fn ends_run(&self) -> bool {
        self.ends_run
    }
}

/// Returns a reference that an outcome and the host's log share for an internal error. It is unique across processes.
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
