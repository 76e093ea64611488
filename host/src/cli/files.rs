//! Files that commands write for the user.

use std::{
    fs::Permissions,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// Writes a file as a whole, in the place of another. Replaces the directory entry, so nothing is written through a link that
/// has this name.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
