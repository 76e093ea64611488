//! What a failure of the storage is called: with the reason, without a path.

use std::io;

use crate::{Error, ErrorCode, folder::refusal};

/// The storage failed inside a call: the run can't go on.
pub(crate) fn failed(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    Error::ending(format!("the workspace failed: {}", storage_reason(&error))).because(error)
}

/// A panic inside a call, of ours or of redb: what it leaves behind is not to be trusted.
pub(super) fn panicked() -> Error {
    Error::ending("the workspace failed: a bug in ghost, or a damaged database".into())
}

/// The workspace can't be opened.
pub(super) fn no_workspace(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::NoWorkspace, message)
}

/// The workspace can't be opened, because of its files.
pub(super) fn unusable(error: io::Error) -> Error {
    no_workspace(format!("the workspace can't be opened: {}", reason(&error))).because(error)
}

/// The workspace can't be opened, because of its database.
pub(super) fn unreadable(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    no_workspace(format!("the workspace can't be opened: {}", storage_reason(&error))).because(error)
}

/// The workspace can't be made.
pub(super) fn unmakable(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    no_workspace(format!("the workspace can't be created: {}", storage_reason(&error))).because(error)
}

pub(super) const DAMAGED: &str = "its database (.ghost/data.redb) is damaged";

fn storage_reason(error: &redb::Error) -> String {
    match error {
        redb::Error::Io(error) => reason(error),
        _ => DAMAGED.into(),
    }
}

/// What happened, in the words of the system.
pub(super) fn reason(error: &io::Error) -> String {
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
