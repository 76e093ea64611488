//! Where a folder is, until it is opened.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::{Folder, Refused};

/// Who said that the folder is to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Somebody named it: it may be a link, or another user's.
    Named,
    /// It was found: anybody may have put it there.
    Found,
}

/// The path of a folder. It is walked anew each time the folder is opened.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    path: PathBuf,
    /// How messages name it; empty for a folder that holds files of its own names.
    name: String,
    trust: Trust,
}

impl Location {
    pub(crate) fn new(path: &Path, name: &str, trust: Trust) -> Self {
        Self { path: path.into(), name: name.into(), trust }
    }

    /// A folder that is the user's own, with what else is in it.
    pub(crate) fn around(path: &Path) -> Self {
        Self::new(path, "", Trust::Named)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the folder, with the mode that it has: it may be any.
    pub(crate) fn open(&self) -> io::Result<Folder> {
        let follow = if self.trust == Trust::Named { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | follow;
        let handle = openat(CWD, &self.path, flags, Mode::empty()).map_err(|error| self.explained(error.into()))?;
        let folder = Folder::outermost(File::from(handle), self.name.clone())?;
        let owners = folder.0.owners;
        match self.trust == Trust::Found && owners.folder != owners.user {
            true => Err(Refused::new(self.name.clone(), Refused::OF_ANOTHER_USER).into()),
            false => Ok(folder),
        }
    }

    /// A link that may not be followed is told as what it is, and so is one that leads nowhere: nothing can be made there.
    fn explained(&self, error: io::Error) -> io::Error {
        let is_link = fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_symlink());
        match self.trust {
            Trust::Found if is_link => Refused::new(self.name.clone(), Refused::LINK).into(),
            Trust::Named if is_link && error.kind() == ErrorKind::NotFound => {
                Refused::new(self.name.clone(), Refused::LINK_TO_NOTHING).into()
            }
            _ => error,
        }
    }
}
