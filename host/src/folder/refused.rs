//! The error for an entry that may not be opened.

use std::{fmt, io};

use rustix::fs::{FileType, Stat};

use super::Owners;

/// An entry of a workspace that is not a file or a folder of this user.
#[derive(Debug)]
pub(crate) struct Refused {
    entry: String,
    why: &'static str,
}

impl Refused {
    pub(super) const LINK: &str = "is a link, which ghost does not follow";
    pub(super) const LINK_TO_NOTHING: &str = "is a link to a file that does not exist";
    pub(super) const OF_ANOTHER_USER: &str = "belongs to another user";

    pub(super) fn new(entry: String, why: &'static str) -> Self {
        Self { entry, why }
    }

    /// Returns why an entry can't be used as a file or as a folder; none if it can.
    pub(super) fn reason(stat: &Stat, wanted: FileType, owners: Owners) -> Option<&'static str> {
        let found = FileType::from_raw_mode(stat.st_mode);
        if found != wanted {
            return Some(unlike(found));
        }
        if !owners.include(stat) {
            return Some(Self::OF_ANOTHER_USER);
        }
        // The other name is unknown; it may be a private file of the user.
        (found == FileType::RegularFile && stat.st_nlink > 1).then_some("has several hard links")
    }
}

fn unlike(found: FileType) -> &'static str {
    match found {
        FileType::Symlink => Refused::LINK,
        FileType::Directory => "is a folder, not a file",
        FileType::RegularFile => "is a file, not a folder",
        FileType::Fifo => "is a FIFO, not a file",
        FileType::Socket => "is a socket, not a file",
        FileType::CharacterDevice | FileType::BlockDevice => "is a device, not a file",
        FileType::Unknown => "is not a file",
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.entry, self.why)
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, refused)
    }
}

/// Returns the refusal in the chain of causes of an error.
pub(crate) fn refusal<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Refused> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(refused) = error.downcast_ref() {
            return Some(refused);
        }
        // The source of an `io::Error` is that of what it wraps.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(refused) = wrapped.and_then(|wrapped| wrapped.downcast_ref()) {
            return Some(refused);
        }
        next = error.source();
    }
    None
}
