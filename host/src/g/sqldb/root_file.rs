//! The file that `sslrootcert` names: a secret may be somebody else's, and so may be what it leads to.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

use super::connection_string::invalid;
use crate::Error;

/// The largest file: the authorities of a system have about 250 KiB.
const MOST: u64 = 4 << 20;

/// Reads the file. It blocks its thread, though not for long: what is no regular file is not waited for.
///
/// Fails with `secret-invalid` for what can't be read, is no regular file, or is larger than 4 MiB. The path is not shown.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    // Without it, to open a FIFO is to wait for somebody who writes to it.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unreadable(&error.into()))?;
    let file = File::from(file);
    // What was opened, not what the path leads to by now.
    let found = file.metadata().map_err(|error| unreadable(&error))?;
    if !found.is_file() {
        return Err(invalid("the file that sslrootcert names is not a regular file"));
    }
    let mut content = Vec::new();
    let length = file.take(MOST + 1).read_to_end(&mut content).map_err(|error| unreadable(&error))?;
    if length as u64 > MOST {
        let bytes = found.len();
        return Err(invalid(format!("the file that sslrootcert names is {bytes} bytes, the limit is {MOST}")));
    }
    Ok(content)
}

fn unreadable(error: &io::Error) -> Error {
    invalid(format!("the file that sslrootcert names can't be read: {}", error.kind()))
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;
    use crate::ErrorCode;

    #[track_caller]
    fn refused(path: &Path, expected: &str) {
        let error = read(path).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::SecretInvalid, expected));
    }

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.crt");
        let most = usize::try_from(MOST).unwrap();
        fs::write(&path, vec![b'-'; most]).unwrap();
        assert_eq!(read(&path).unwrap().len(), most);
        fs::write(&path, vec![b'-'; most + 1]).unwrap();
        refused(&path, "the file that sslrootcert names is 4194305 bytes, the limit is 4194304");
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let expected = "the file that sslrootcert names is not a regular file";
        for path in [&fifo, Path::new("/dev/zero"), folder.path()] {
            refused(path, expected);
        }
        refused(&folder.path().join("none"), "the file that sslrootcert names can't be read: entity not found");
    }
}
