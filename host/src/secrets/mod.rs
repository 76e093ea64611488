//! Secrets: connection strings, which a script names in the parameter `conn` and never sees.

#[cfg(feature = "stored-secrets")]
mod key;
mod process;
#[cfg(feature = "stored-secrets")]
mod stored;
#[cfg(test)]
#[cfg(feature = "stored-secrets")]
mod tests;

use std::{fmt, sync::Arc};

use secrecy::{ExposeSecret, SecretString};

use crate::{Error, ErrorCode};
pub use process::protect_process;
#[cfg(feature = "stored-secrets")]
pub use stored::Stored;

/// The longest name.
const NAME_BYTES: usize = 64;

/// The result of one namespace's attempt to connect with a secret.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// `sqldb`
    pub namespace: &'static str,
    /// Where the servers are, as the secret has it: `db.example.com:5432`. For the owner of the secret; `None` if the
    /// secret can't be used.
    pub address: Option<String>,
    /// Who answered, in a few words without anything secret; or why the connection failed.
    pub connected: Result<String, Error>,
}

/// A connection string. It is not shown by `Debug`, and wiped from memory when it is dropped.
#[derive(Clone)]
pub struct Secret {
    text: SecretString,
    may_have_paths: bool,
}

impl Secret {
    /// Returns the secret with paths disallowed: calls that use it fail with `SECRET_INVALID` if it contains the path
    /// of a file or a socket (`sslrootcert`, a `host` that is a folder). Use it for secrets from an untrusted source.
    #[must_use]
    pub fn without_paths(self) -> Self {
        Self { may_have_paths: false, ..self }
    }

    pub(crate) fn may_have_paths(&self) -> bool {
        self.may_have_paths
    }

    /// Returns the text. Callers must not put it into a message, a log or an error.
    pub fn expose(&self) -> &str {
        self.text.expose_secret()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self { text: text.into(), may_have_paths: true }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

type Source = dyn Fn(&str) -> Result<Option<Secret>, Error> + Send + Sync;

/// The source of a run's secrets. Clones share it.
#[derive(Clone)]
pub struct Secrets(Arc<Source>);

impl Secrets {
    /// Creates a source from a function that returns the secret of a name, or none for an unknown one. It is called for
    /// each external call, on a thread that may block. The script sees the message of its errors unchanged.
    pub fn new(source: impl Fn(&str) -> Result<Option<Secret>, Error> + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Returns a source whose secrets are all [without paths](Secret::without_paths), for tenants that supply their
    /// own.
    #[must_use]
    pub fn without_paths(self) -> Self {
        Self::new(move |name| Ok(self.get(name)?.map(Secret::without_paths)))
    }

    pub(crate) fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
        (self.0)(name)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

/// Checks the name of a secret.
pub fn check_name(name: &str) -> Result<(), Error> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if (1..=NAME_BYTES).contains(&name.len()) && name.bytes().all(known) {
        return Ok(());
    }
    // The message omits the name, because it is a password if the user passed the connection string by mistake.
    Err(Error::invalid(format!(
        "the name of a secret is 1 to {NAME_BYTES} letters, digits, `_`, `-` or `.`; the given name ({} bytes, not shown) \
         is not valid",
        name.len()
    )))
}

/// Returns the environment variable that takes precedence over a stored secret: `GHOST_SECRET_` and the name in upper
/// case, with `_` for each character that is not a letter or digit.
pub fn variable(name: &str) -> String {
    let upper = name.chars().map(|one| if one.is_ascii_alphanumeric() { one.to_ascii_uppercase() } else { '_' });
    "GHOST_SECRET_".chars().chain(upper).collect()
}

pub(crate) fn not_found(name: &str) -> Error {
    Error::new(ErrorCode::SecretNotFound, format!("there is no secret {name}; to store it: ghost secret set {name}"))
}
