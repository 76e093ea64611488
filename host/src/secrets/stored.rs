//! Secrets in a workspace: a file each, encrypted for a key that lies in the user's configuration folder.

use std::{
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use age::{DecryptError, x25519::Identity};

use super::{Secret, check_name, key, reason};
use crate::{
    Error, ErrorCode,
    folder::{Folder, Location, Trust},
    workspace::{self, SECRETS, Workspace},
};

/// The longest secret; a certificate in it is a few thousand bytes.
const SECRET_BYTES: usize = 64 << 10;
/// Encryption adds a header and a little for each 64 KiB.
const FILE_BYTES: u64 = (SECRET_BYTES + (4 << 10)) as u64;
const ENDING: &str = ".age";

/// The secrets of a workspace.
#[derive(Clone, Debug)]
pub struct Stored {
    workspace: Location,
    key: PathBuf,
}

impl Stored {
    /// Those of the workspace in a folder (the one that holds `.ghost`), for the key in a file. Neither has to be there.
    pub fn at(workspace: &Path, key: &Path) -> Self {
        Self { workspace: workspace::location(workspace, Trust::Named), key: key.into() }
    }

    /// Those of a workspace, which is not opened for them.
    pub fn of(workspace: &Workspace, key: &Path) -> Self {
        Self { workspace: workspace.location().clone(), key: key.into() }
    }

    /// The secret of a name; none when there is none.
    ///
    /// Fails with `secret-invalid` when it can't be opened: the key is another one or missing, or the file is damaged.
    pub fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
        check_name(name)?;
        let Some(encrypted) = self.read(name).map_err(|error| unreadable(name, error))? else { return Ok(None) };
        let identity = key::read(&self.key)?.ok_or_else(|| {
            closed(name, "the key that it was stored with is missing (ghost/key in your configuration folder)")
        })?;
        open(name, &identity, &encrypted).map(Some)
    }

    /// Stores a secret, in place of the one that had the name. The key is made when there is none. The workspace must be
    /// there.
    pub fn set(&self, name: &str, secret: &Secret) -> Result<(), Error> {
        check_name(name)?;
        let bytes = secret.expose().len();
        if !(1..=SECRET_BYTES).contains(&bytes) {
            return Err(Error::invalid(format!("the secret is {bytes} bytes, allowed are 1 to {SECRET_BYTES}")));
        }
        let identity = key::read_or_make(&self.key)?;
        let encrypted = age::encrypt(&identity.to_public(), secret.expose().as_bytes()).map_err(Error::internal)?;
        self.write(name, &encrypted).map_err(|error| unwritable(name, error))
    }

    /// The names, ascending.
    pub fn list(&self) -> Result<Vec<String>, Error> {
        let files = match self.folder().and_then(|folder| folder.names()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(unlistable)?,
        };
        let names = files.iter().filter_map(|file| file.strip_suffix(ENDING));
        let mut names: Vec<_> = names.filter(|name| check_name(name).is_ok()).map(String::from).collect();
        names.sort();
        Ok(names)
    }

    /// Removes a secret. False when there is none of the name.
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

    /// None when there is no file. A file that is no secret may be of any size: no more is read than a secret can have.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let found = match self.folder().and_then(|folder| folder.read(&file(name))) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let mut bytes = Vec::new();
        found.take(FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Whole or not at all: written beside and moved into place.
    fn write(&self, name: &str, encrypted: &[u8]) -> io::Result<()> {
        let folder = self.workspace.open()?.make_folder(SECRETS)?;
        folder.has_file(&file(name))?; // what is no file of the user stays
        let unfinished = folder.unfinished()?;
        unfinished.file().write_all(encrypted)?;
        unfinished.finish(&file(name))
    }
}

fn file(name: &str) -> String {
    format!("{name}{ENDING}")
}

fn open(name: &str, identity: &Identity, encrypted: &[u8]) -> Result<Secret, Error> {
    let plain = age::decrypt(identity, encrypted).map_err(|error| match error {
        DecryptError::NoMatchingKeys => {
            closed(name, "it was stored with another key than the one in your configuration folder")
        }
        _ => closed(name, "its file is damaged"),
    })?;
    String::from_utf8(plain).map(Secret::from).map_err(|_| closed(name, "its file is damaged"))
}

fn closed(name: &str, why: &str) -> Error {
    let advice = format!("ghost secret set {name} stores it anew");
    Error::new(ErrorCode::SecretInvalid, format!("the secret {name} can't be opened: {why}; {advice}"))
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
