//! The errors of a workspace that can't be opened.

use std::io;

pub(super) use crate::data::{DAMAGED, failed};
use crate::{
    Error, ErrorCode,
    data::{reason, storage_reason},
};

/// A call panicked, in ghost or in redb. The state of the open workspace is no longer trusted.
pub(super) fn panicked() -> Error {
    Error::ending("the workspace failed: a bug in ghost, or a damaged database".into())
}

/// The folder or the database was removed or replaced while the workspace was open.
pub(super) fn removed() -> Error {
    Error::ending("the workspace failed: its folder (.ghost) or its database was removed or replaced".into())
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

/// The workspace can't be created.
pub(super) fn cannot_create(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    no_workspace(format!("the workspace can't be created: {}", storage_reason(&error))).because(error)
}
