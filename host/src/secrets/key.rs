//! The user's key, which encrypts the secrets of all workspaces.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::Path,
};

use age::{secrecy::ExposeSecret, x25519::Identity};

use super::stored::reason;
use crate::{
    Error, ErrorCode,
    folder::{Folder, Location, Trust},
};

/// The maximum size of the file of the key; ghost writes two lines.
const MAX_BYTES: u64 = 64 << 10;

/// Reads the key from a file; none if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Identity>, Error> {
    let unreadable = |error: io::Error| unusable(&format!("can't be read: {}", reason(&error))).because(error);
    let file = match open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(unreadable)?,
    };
    refuse_if_others_have_access(&file)?;
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    let key = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    key.and_then(|key| key.parse().ok()).map(Some).ok_or_else(|| unusable("is damaged"))
}

fn open(path: &Path) -> io::Result<File> {
    let (folder, name) = location(path)?;
    folder.open()?.read_keeping_mode(name)
}

/// Returns the folder of the key, and the name of its file.
fn location(path: &Path) -> io::Result<(Location, &str)> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(ErrorKind::InvalidInput)?;
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let called = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok((Location::new(folder, called, Trust::Named), name))
}

/// Reads the key from a file; creates one if the file does not exist.
pub(super) fn read_or_create(path: &Path) -> Result<Identity, Error> {
    if let Some(identity) = read(path)? {
        return Ok(identity);
    }
    create(path).map_err(|error| unusable(&format!("can't be written: {}", reason(&error))).because(error))?;
    // Read again, because another process may have been first.
    read(path)?.ok_or_else(|| unusable("was removed by another process"))
}

/// Creates a key atomically, readable only by the user. Never replaces another one.
fn create(path: &Path) -> io::Result<()> {
    let (location, name) = location(path)?;
    std::fs::DirBuilder::new().mode(0o700).recursive(true).create(location.path())?;
    let folder: Folder = location.open()?;
    let unfinished = folder.unfinished()?;
    let mut file = unfinished.file();
    writeln!(file, "# The key of ghost's secrets. Without it, they can't be decrypted.")?;
    writeln!(file, "{}", Identity::generate().to_string().expose_secret())?;
    unfinished.finish_new(name).map(drop)
}

/// Fails if the mode of the file gives other users access to it.
fn refuse_if_others_have_access(file: &File) -> Result<(), Error> {
    let mode = file.metadata().map_err(|error| unusable("can't be read").because(error))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(unusable(&format!("is accessible to other users (mode {:03o}); to fix it: chmod 600", mode & 0o777)))
}

fn unusable(why: &str) -> Error {
    let message = format!("the key of the secrets (ghost/key in your configuration folder) {why}");
    Error::new(ErrorCode::SecretInvalid, message)
}
