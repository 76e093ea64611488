//! The file of certificate authorities that an option of a secret names. Neither the secret nor the file
//! is trusted.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

use crate::{Error, ErrorCode};

/// The largest file, in bytes: the authorities of a system have about 250 KiB.
const MAX_FILE: u64 = 4 << 20;

/// Reads the file that `option` of a secret names. Blocks the thread, but never waits for the writer of a FIFO.
///
/// Fails with `secret-invalid` for a file that can't be read, is not a regular file, or is larger than 4 MiB. The error does
/// not show the path.
pub(crate) fn read(path: &Path, option: &str) -> Result<Vec<u8>, Error> {
    let invalid = |what: String| Error::new(ErrorCode::SecretInvalid, format!("the file that {option} names {what}"));
    let unreadable = |error: &io::Error| invalid(format!("can't be read: {}", error.kind()));
    // Without NONBLOCK, opening a FIFO waits for a writer.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unreadable(&error.into()))?;
    let file = File::from(file);
    // Of the opened file: the path may name another one by now.
    let found = file.metadata().map_err(|error| unreadable(&error))?;
    if !found.is_file() {
        return Err(invalid("is not a regular file".to_owned()));
    }
    let mut content = Vec::new();
    let length = file.take(MAX_FILE + 1).read_to_end(&mut content).map_err(|error| unreadable(&error))?;
    if length as u64 > MAX_FILE {
        let bytes = found.len();
        return Err(invalid(format!("is {bytes} bytes, the limit is {MAX_FILE}")));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    #[track_caller]
    fn refused(path: &Path, expected: &str) {
        let error = read(path, "sslrootcert").unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::SecretInvalid, expected));
    }

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.crt");
        let most = usize::try_from(MAX_FILE).unwrap();
        fs::write(&path, vec![b'-'; most]).unwrap();
        assert_eq!(read(&path, "sslrootcert").unwrap().len(), most);
        fs::write(&path, vec![b'-'; most + 1]).unwrap();
        refused(&path, "the file that sslrootcert names is 4194305 bytes, the limit is 4194304");
    }

    #[test]
    fn an_entry_that_is_not_a_regular_file_is_refused_at_once() {
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
