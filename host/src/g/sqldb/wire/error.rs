//! Why a request failed.

use std::{borrow::Cow, io};

/// Why a request failed. After each but [`Error::Server`], the connection is not used again.
#[derive(Debug)]
pub(crate) enum Error {
    /// The server's own error. After a `FATAL`, the server has closed the connection.
    Server(Box<ErrorResponse>),
    /// The connection can't be made, or broke.
    Io(io::Error),
    /// The server violated the protocol.
    Protocol(Cow<'static, str>),
    /// The answer exceeds a limit. This is the error for the script.
    Limit(crate::Error),
    /// The server asks for a password, and the secret has none.
    NoPassword,
    /// The server has no TLS, or no authentication method that is supported and safe enough.
    Unsupported(&'static str),
    /// `target_session_attrs` asks for a server that accepts writes, or for one that does not, and this is the other.
    WrongSessionAttrs,
}

pub(super) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(super) fn protocol(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Protocol(what.into())
    }

    pub(super) fn ended() -> Self {
        Self::Io(io::ErrorKind::UnexpectedEof.into())
    }

    /// The SQLSTATE, if the server said one.
    pub(crate) fn sqlstate(&self) -> Option<&str> {
        match self {
            Self::Server(answer) if !answer.code.is_empty() => Some(&answer.code),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// An `ErrorResponse`. A field that the server left out is absent, or empty where every error has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorResponse {
    /// `ERROR`, `FATAL` or `PANIC`, in no other language.
    pub(crate) severity: String,
    /// The SQLSTATE.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) detail: Option<String>,
    pub(crate) hint: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) schema: Option<String>,
    pub(crate) table: Option<String>,
    pub(crate) column: Option<String>,
    pub(crate) data_type: Option<String>,
    pub(crate) constraint: Option<String>,
    /// The character of the statement, from 1.
    pub(crate) position: Option<usize>,
}

impl ErrorResponse {
    /// Reads the body of an `ErrorResponse`, which may be truncated. Before a session has an encoding its text may be in any, so
    /// what is not UTF-8 is replaced.
    pub(super) fn read(mut body: &[u8]) -> Self {
        let mut answer = Self::default();
        let mut localized = String::new();
        while let Some((kind, rest)) = body.split_first()
            && *kind != 0
        {
            let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
            let text = String::from_utf8_lossy(&rest[..end]).into_owned();
            body = rest.get(end + 1..).unwrap_or_default();
            match kind {
                b'S' => localized = text,
                b'V' => answer.severity = text,
                // A server that lies may put anything there, and scripts are shown it.
                b'C' if is_sqlstate(&text) => answer.code = text,
                b'M' => answer.message = text,
                b'D' => answer.detail = Some(text),
                b'H' => answer.hint = Some(text),
                b'W' => answer.context = Some(text),
                b's' => answer.schema = Some(text),
                b't' => answer.table = Some(text),
                b'c' => answer.column = Some(text),
                b'd' => answer.data_type = Some(text),
                b'n' => answer.constraint = Some(text),
                b'P' => answer.position = text.parse().ok(),
                _ => {}
            }
        }
        // Servers before 9.6 and poolers have no other.
        if answer.severity.is_empty() {
            answer.severity = localized;
        }
        answer
    }

    /// Whether the server ended the connection with it.
    pub(crate) fn is_fatal(&self) -> bool {
        self.severity != "ERROR"
    }
}

/// Whether a text is five digits and upper-case letters, as all states of the SQL standard and of PostgreSQL are.
fn is_sqlstate(text: &str) -> bool {
    text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}
