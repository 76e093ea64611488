//! Secrets in a workspace: a file each, encrypted for a key that lies in the user's configuration folder.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use age::{DecryptError, x25519::Identity};

use super::{Secret, check_name, key};
use crate::{Error, ErrorCode};

/// The longest secret; a certificate in it is a few thousand bytes.
const SECRET_BYTES: usize = 64 << 10;
/// Encryption adds a header and a little for each 64 KiB.
const FILE_BYTES: u64 = (SECRET_BYTES + (4 << 10)) as u64;
const ENDING: &str = ".age";

/// The secrets of a workspace.
#[derive(Clone, Debug)]
pub struct Stored {
    folder: PathBuf,
    key: PathBuf,
}

impl Stored {
    /// Those of the workspace in a folder (the one that holds `.ghost`), for the key in a file. Neither has to be there.
    pub fn at(workspace: &Path, key: &Path) -> Self {
        Self { folder: workspace.join(".ghost").join("secrets"), key: key.into() }
    }

    /// The secret of a name; none when there is none.
    ///
    /// Fails with `secret-invalid` when it can't be opened: the key is another one or missing, or the file is damaged.
    pub fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
        check_name(name)?;
        let Some(encrypted) = read(&self.file(name)).map_err(|error| unreadable(name, error))? else { return Ok(None) };
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
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(unlistable)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(unlistable)?.file_name();
            let name = file.to_str().and_then(|file| file.strip_suffix(ENDING));
            names.extend(name.filter(|name| check_name(name).is_ok()).map(String::from));
        }
        names.sort();
        Ok(names)
    }

    /// Removes a secret. False when there is none of the name.
    pub fn remove(&self, name: &str) -> Result<bool, Error> {
        check_name(name)?;
        match fs::remove_file(self.file(name)).and_then(|()| File::open(&self.folder)?.sync_all()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unwritable(name, error)),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{ENDING}"))
    }

    /// Whole or not at all: written beside and moved into place.
    fn write(&self, name: &str, encrypted: &[u8]) -> io::Result<()> {
        match fs::create_dir(&self.folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(encrypted)?;
        file.as_file().sync_all()?;
        file.persist(self.file(name))?;
        File::open(&self.folder)?.sync_all()
    }
}

/// None when there is no file. A file that is no secret may be of any size: no more is read than a secret can have.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
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
    Error::new(ErrorCode::SecretInvalid, format!("the secret {name} can't be read: {}", error.kind())).because(error)
}

fn unwritable(name: &str, error: io::Error) -> Error {
    Error::new(ErrorCode::SecretInvalid, format!("the secret {name} can't be written: {}", error.kind())).because(error)
}

fn unlistable(error: io::Error) -> Error {
    Error::new(ErrorCode::SecretInvalid, format!("the secrets can't be listed: {}", error.kind())).because(error)
}
