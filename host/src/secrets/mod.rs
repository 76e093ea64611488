//! What `conn` of an external method names: connection strings, which a script never sees.

mod key;
mod process;
mod stored;
#[cfg(test)]
mod tests;

use std::{fmt, io, sync::Arc};

use age::secrecy::{ExposeSecret, SecretString};

use crate::{Error, ErrorCode, folder::refusal};
pub use process::close_process;
pub use stored::Stored;

/// The longest name.
const NAME_BYTES: usize = 64;

/// The result of connecting with a secret, as one namespace does.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// `sqldb`
    pub namespace: &'static str,
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
    /// The same secret, refused with `SECRET_INVALID` where it has the path of a file or a socket in it (`sslrootcert`, a
    /// `host` that is a folder): what it leads to on this machine is not for somebody else to say.
    #[must_use]
    pub fn without_paths(self) -> Self {
        Self { may_have_paths: false, ..self }
    }

    pub(crate) fn may_have_paths(&self) -> bool {
        self.may_have_paths
    }

    /// The text. It must not get into a message, a log or an error.
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

/// Where a run's secrets come from. Clones share it.
#[derive(Clone)]
pub struct Secrets(Arc<Source>);

impl Secrets {
    /// Secrets that a function gives by their names; none for a name it does not know. It is called for each call of an
    /// external method, on a thread that may wait. The message of an error goes to the script, word for word.
    pub fn new(source: impl Fn(&str) -> Result<Option<Secret>, Error> + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// The same secrets, each [without paths](Secret::without_paths): for a host whose tenants give their own.
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

/// Refuses a name that no secret can have.
pub fn check_name(name: &str) -> Result<(), Error> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if (1..=NAME_BYTES).contains(&name.len()) && name.bytes().all(known) {
        return Ok(());
    }
    // The name is not shown: who mistakes it for the connection string has put a password there.
    Err(Error::invalid(format!(
        "the name of a secret is 1 to {NAME_BYTES} of letters, digits, `_`, `-`, `.`; the name given ({} bytes, not shown) \
         is not",
        name.len()
    )))
}

/// The environment variable that goes before a stored secret: `GHOST_SECRET_` and the name in upper case, every other
/// character than a letter or digit as `_`.
pub fn variable(name: &str) -> String {
    let upper = name.chars().map(|one| if one.is_ascii_alphanumeric() { one.to_ascii_uppercase() } else { '_' });
    "GHOST_SECRET_".chars().chain(upper).collect()
}

/// What happened to a file, without its path.
fn reason(error: &io::Error) -> String {
    refusal(error).map_or_else(|| error.kind().to_string(), ToString::to_string)
}

pub(crate) fn not_found(name: &str) -> Error {
    Error::new(
        ErrorCode::SecretNotFound,
        format!("there is no secret named {name}: ghost secret set {name} stores one"),
    )
}
