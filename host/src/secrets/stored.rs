//! The secrets of a workspace: one file each, encrypted with a key in the user's configuration folder.

use std::{
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use age::{DecryptError, x25519::Identity};

use super::{Secret, check_name, key};
use crate::{
    Error, ErrorCode,
    folder::{Folder, Location, Trust, refusal},
    workspace::{self, SECRETS, Workspace},
};

/// The maximum size of a secret. A certificate has a few thousand bytes.
const SECRET_BYTES: usize = 64 << 10;
/// The maximum size of an encrypted secret: with a header, and some bytes for each 64 KiB.
const FILE_BYTES: u64 = (SECRET_BYTES + (4 << 10)) as u64;
const EXTENSION: &str = ".age";

/// The secrets of a workspace.
#[derive(Clone, Debug)]
pub struct Stored {
    workspace: Location,
    key: PathBuf,
}

impl Stored {
    /// Returns the secrets of the workspace in a folder (the one that contains `.ghost`), encrypted with the key in a file.
    /// Neither has to exist.
    pub fn at(workspace: &Path, key: &Path) -> Self {
        Self { workspace: workspace::location(workspace, Trust::Named), key: key.into() }
    }

    /// Returns the secrets of a workspace, without opening it.
    pub fn of(workspace: &Workspace, key: &Path) -> Self {
        Self { workspace: workspace.location().clone(), key: key.into() }
    }

    /// Returns the secret of a name; none if there is none.
    ///
    /// Fails with `SECRET_INVALID` when it can't be decrypted: the key is a different one or missing, or the file is corrupt.
    pub fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
        check_name(name)?;
        let Some(encrypted) = self.read(name).map_err(|error| unreadable(name, error))? else { return Ok(None) };
        let identity = key::read(&self.key)?.ok_or_else(|| {
            undecryptable(name, "the key that encrypted it is missing (ghost/key in your configuration folder)")
        })?;
        open(name, &identity, &encrypted).map(Some)
    }

    /// Stores a secret; it replaces one with the same name. Creates the key if there is none. The workspace must exist.
    pub fn set(&self, name: &str, secret: &Secret) -> Result<(), Error> {
        check_name(name)?;
        let bytes = secret.expose().len();
        if !(1..=SECRET_BYTES).contains(&bytes) {
            return Err(Error::invalid(format!("the secret is {bytes} bytes, 1 to {SECRET_BYTES} are allowed")));
        }
        let identity = key::read_or_create(&self.key)?;
        let encrypted = age::encrypt(&identity.to_public(), secret.expose().as_bytes()).map_err(Error::internal)?;
        self.write(name, &encrypted).map_err(|error| unwritable(name, error))
    }

    /// Returns the names, in ascending order.
    pub fn list(&self) -> Result<Vec<String>, Error> {
        let files = match self.folder().and_then(|folder| folder.names()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(unlistable)?,
        };
        let names = files.iter().filter_map(|file| file.strip_suffix(EXTENSION));
        let mut names: Vec<_> = names.filter(|name| check_name(name).is_ok()).map(String::from).collect();
        names.sort();
        Ok(names)
    }

    /// Removes a secret. Returns whether it existed.
    pub fn remove(&self, name: &str) -> Result<bool, Error> {
        check_name(name)?;
        let remove = |folder: Folder| folder.remove_file(&file(name)).and_then(|()| folder.sync());
        match self.folder().and_then(remove) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unwritable(name, error)),
        }
    }

    fn folder(&self) -> io::Result<Folder> {
        self.workspace.open()?.folder(SECRETS)
    }

    /// Reads the encrypted secret; none if the file does not exist. Reads at most the maximum size, since another file may
    /// be in its place.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let found = match self.folder().and_then(|folder| folder.read(&file(name))) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let mut bytes = Vec::new();
        found.take(FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Writes an encrypted secret atomically.
    fn write(&self, name: &str, encrypted: &[u8]) -> io::Result<()> {
        let folder = self.workspace.open()?.make_folder(SECRETS)?;
        // Fails if the entry is not a regular file of this user, so that it is not replaced.
        folder.has_file(&file(name))?;
        let unfinished = folder.unfinished()?;
        unfinished.file().write_all(encrypted)?;
        unfinished.finish(&file(name))
    }
}

fn file(name: &str) -> String {
    format!("{name}{EXTENSION}")
}

fn open(name: &str, identity: &Identity, encrypted: &[u8]) -> Result<Secret, Error> {
    let plain = age::decrypt(identity, encrypted).map_err(|error| match error {
        DecryptError::NoMatchingKeys => {
            undecryptable(name, "it was encrypted with a different key than the one in your configuration folder")
        }
        _ => undecryptable(name, "its file is damaged"),
    })?;
    String::from_utf8(plain).map(Secret::from).map_err(|_| undecryptable(name, "its file is damaged"))
}

fn undecryptable(name: &str, why: &str) -> Error {
    let advice = format!("to store it again: ghost secret set {name}");
    Error::new(ErrorCode::SecretInvalid, format!("the secret {name} can't be decrypted: {why}; {advice}"))
}

fn unreadable(name: &str, error: io::Error) -> Error {
    Error::new(ErrorCode::SecretInvalid, format!("the secret {name} can't be read: {}", reason(&error))).because(error)
}

fn unwritable(name: &str, error: io::Error) -> Error {
    Error::new(ErrorCode::SecretInvalid, format!("the secret {name} can't be written: {}", reason(&error)))
        .because(error)
}

fn unlistable(error: io::Error) -> Error {
    Error::new(ErrorCode::SecretInvalid, format!("the secrets can't be listed: {}", reason(&error))).because(error)
}

/// Describes an I/O error without a path.
pub(super) fn reason(error: &io::Error) -> String {
    refusal(error).map_or_else(|| error.kind().to_string(), ToString::to_string)
}
