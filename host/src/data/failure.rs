//! Converts storage errors. The messages contain the reason, but no path.

use std::io;

use crate::{Error, folder::refusal};

/// Returns the error of a call in which the storage failed. It ends the run.
pub(crate) fn failed(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    Error::ending(format!("the workspace failed: {}", storage_reason(&error))).because(error)
}

pub(crate) const DAMAGED: &str = "its database (.ghost/data.redb) is damaged";

/// Returns the reason why the database can't be read or written.
pub(crate) fn storage_reason(error: &redb::Error) -> String {
    match error {
        redb::Error::Io(error) => reason(error),
        _ => DAMAGED.into(),
    }
}

/// Describes an I/O error.
pub(crate) fn reason(error: &io::Error) -> String {
    if let Some(refused) = refusal(error) {
        return refused.to_string();
    }
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::NotFound => "the folder does not exist".into(),
        io::ErrorKind::NotADirectory => "it is not a folder".into(),
        io::ErrorKind::IsADirectory => "its database is a folder".into(),
        // What redb says of a file that it can't read.
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => DAMAGED.into(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}
