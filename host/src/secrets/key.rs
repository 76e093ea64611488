//! The key that the secrets of a user's workspaces are encrypted for.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, ErrorKind, Write},
    path::Path,
};

use age::{secrecy::ExposeSecret, x25519::Identity};

use crate::{Error, ErrorCode};

/// The key in a file; none when there is no file.
pub(super) fn read(path: &Path) -> Result<Option<Identity>, Error> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| unusable(&format!("can't be read: {}", error.kind())).because(error))?,
    };
    refuse_others(path)?;
    let key = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    key.and_then(|key| key.parse().ok()).map(Some).ok_or_else(|| unusable("is damaged"))
}

/// The key in a file; a new one when there is none.
pub(super) fn read_or_make(path: &Path) -> Result<Identity, Error> {
    if let Some(identity) = read(path)? {
        return Ok(identity);
    }
    make(path).map_err(|error| unusable(&format!("can't be written: {}", error.kind())).because(error))?;
    // What lies there now counts: another process may have been first.
    read(path)?.ok_or_else(|| unusable("has just been removed"))
}

/// Whole or not at all, for the user's eyes alone, and never in place of another.
fn make(path: &Path) -> io::Result<()> {
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    // Made with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "# The key of ghost's secrets. Without it they can't be opened.")?;
    writeln!(file, "{}", Identity::generate().to_string().expose_secret())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => return Err(error.error),
        _ => {}
    }
    File::open(folder)?.sync_all()
}

#[cfg(unix)]
fn refuse_others(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_err(|error| unusable("can't be read").because(error))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(unusable(&format!("can be read by other users (mode {:03o}, allowed is 600)", mode & 0o777)))
}

#[cfg(not(unix))]
fn refuse_others(_: &Path) -> Result<(), Error> {
    Ok(())
}

fn unusable(why: &str) -> Error {
    let message = format!("the key of the secrets (ghost/key in your configuration folder) {why}");
    Error::new(ErrorCode::SecretInvalid, message)
}
