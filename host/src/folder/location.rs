//! The path of a folder that is not opened yet.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};

use super::{Folder, Identity, Refused};

/// How the folder was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The user named it: it may be a link, and may belong to another user.
    Named,
    /// It was found by a search, and may come from an untrusted source.
    Found,
}

/// The path of a folder. It is resolved each time the folder is opened.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    path: PathBuf,
    /// Its name in messages; empty for a folder whose entries are named by themselves.
    name: String,
    trust: Trust,
}

impl Location {
    pub(crate) fn new(path: &Path, name: &str, trust: Trust) -> Self {
        Self { path: path.into(), name: name.into(), trust }
    }

    /// Returns the location of a folder of the user that also contains other files.
    pub(crate) fn around(path: &Path) -> Self {
        Self::new(path, "", Trust::Named)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the folder, without checking its mode.
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

    /// Whether the path still leads to an open folder. Needs no file descriptor, so it works when the process has no more.
    pub(crate) fn leads_to(&self, folder: &Folder) -> io::Result<bool> {
        let flags = if self.trust == Trust::Named { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        match statat(CWD, &self.path, flags).map_err(io::Error::from) {
            Ok(stat) => Ok(Identity::of_stat(&stat) == folder.identity()?),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns a refusal for a link that may not be followed, or whose target does not exist.
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
