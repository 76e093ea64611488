//! The key that the secrets of a user's workspaces are encrypted for.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::Path,
};

use age::{secrecy::ExposeSecret, x25519::Identity};

use super::reason;
use crate::{
    Error, ErrorCode,
    folder::{Folder, Location, Trust},
};

/// A key is a line, with another that says what it is.
const LONGEST: u64 = 64 << 10;

/// The key in a file; none when there is no file.
pub(super) fn read(path: &Path) -> Result<Option<Identity>, Error> {
    let unreadable = |error: io::Error| unusable(&format!("can't be read: {}", reason(&error))).because(error);
    let file = match open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(unreadable)?,
    };
    refuse_others(&file)?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(unreadable)?;
    let key = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    key.and_then(|key| key.parse().ok()).map(Some).ok_or_else(|| unusable("is damaged"))
}

fn open(path: &Path) -> io::Result<File> {
    let (folder, name) = place(path)?;
    folder.open()?.read_as_it_is(name)
}

/// The folder of the key, which is the user's, and the key's name in it.
fn place(path: &Path) -> io::Result<(Location, &str)> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(ErrorKind::InvalidInput)?;
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let called = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok((Location::new(folder, called, Trust::Named), name))
}

/// The key in a file; a new one when there is none.
pub(super) fn read_or_make(path: &Path) -> Result<Identity, Error> {
    if let Some(identity) = read(path)? {
        return Ok(identity);
    }
    make(path).map_err(|error| unusable(&format!("can't be written: {}", reason(&error))).because(error))?;
    // What lies there now counts: another process may have been first.
    read(path)?.ok_or_else(|| unusable("has just been removed"))
}

/// Whole or not at all, for the user's eyes alone, and never in place of another.
fn make(path: &Path) -> io::Result<()> {
    let (location, name) = place(path)?;
    std::fs::DirBuilder::new().mode(0o700).recursive(true).create(location.path())?;
    let folder: Folder = location.open()?;
    let unfinished = folder.unfinished()?;
    let mut file = unfinished.file();
    writeln!(file, "# The key of ghost's secrets. Without it they can't be opened.")?;
    writeln!(file, "{}", Identity::generate().to_string().expose_secret())?;
    unfinished.finish_new(name).map(drop)
}

fn refuse_others(file: &File) -> Result<(), Error> {
    let mode = file.metadata().map_err(|error| unusable("can't be read").because(error))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(unusable(&format!("can be read by other users (mode {:03o}, allowed is 600)", mode & 0o777)))
}

fn unusable(why: &str) -> Error {
    let message = format!("the key of the secrets (ghost/key in your configuration folder) {why}");
    Error::new(ErrorCode::SecretInvalid, message)
}
