//! Files and folders that have a temporary name until they are complete.

use std::{
    fs::File,
    hash::{BuildHasher, RandomState},
    io::{self, ErrorKind},
};

use rustix::{
    fs::{Mode, RenameFlags},
    io::Errno,
};

use super::{Folder, Location, single};

/// How many random names to try.
const MAX_TRIES: usize = 100;

/// A temporary file, which is removed unless it is renamed to its final name.
pub(crate) struct Unfinished {
    folder: Folder,
    name: Option<String>,
    file: File,
}

impl Folder {
    /// Creates a file with a random name.
    pub(crate) fn unfinished(&self) -> io::Result<Unfinished> {
        let (name, file) = try_names(|name| self.make(name))?;
        Ok(Unfinished { folder: self.clone(), name: Some(name), file })
    }

    /// Creates an empty temporary file with this name; replaces one that was left behind.
    pub(crate) fn unfinished_as(&self, name: &str) -> io::Result<Unfinished> {
        let file = self.make_empty(name)?;
        Ok(Unfinished { folder: self.clone(), name: Some(name.into()), file })
    }
}

impl Unfinished {
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Syncs the file and renames it to its final name; replaces an existing file.
    pub(crate) fn finish(mut self, name: &str) -> io::Result<()> {
        self.file.sync_all()?;
        if let Some(from) = &self.name {
            self.folder.rename(from, name)?;
        }
        self.name = None;
        self.folder.sync()
    }

    /// Syncs the file and renames it to its final name. Returns false if the name exists.
    pub(crate) fn finish_new(mut self, name: &str) -> io::Result<bool> {
        self.file.sync_all()?;
        let Some(from) = &self.name else { return Ok(false) };
        match rename_new(&self.folder, from, name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            renamed => renamed?,
        }
        self.name = None;
        self.folder.sync()?;
        Ok(true)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let removed = self.name.as_deref().map_or(Ok(()), |name| self.folder.remove_file(name));
        if let Err(error) = removed {
            tracing::debug!(%error, "a temporary file can't be removed");
        }
    }
}

/// Renames a file unless the new name exists; not atomically on a file system that does not support it.
fn rename_new(folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    let (handle, from_name, to_name) = (&folder.0.handle, single(from)?, single(to)?);
    match rustix::fs::renameat_with(handle, from_name, handle, to_name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) if folder.stat(to)?.is_none() => folder.rename(from, to),
        Err(Errno::INVAL | Errno::NOSYS) => Err(ErrorKind::AlreadyExists.into()),
        renamed => Ok(renamed?),
    }
}

/// A temporary folder, which is removed with its contents unless it is renamed to its final name.
pub(crate) struct UnfinishedFolder {
    parent: Folder,
    name: Option<String>,
    folder: Folder,
}

impl UnfinishedFolder {
    /// Creates a folder with a random name inside another, accessible only to this user. `name` is its name in messages.
    pub(crate) fn make_in(around: &Location, name: &str) -> io::Result<Self> {
        let parent = around.open()?;
        let make = |name: &str| Ok(rustix::fs::mkdirat(&parent.0.handle, single(name)?, Mode::RWXU)?);
        let (unfinished, ()) = try_names(make)?;
        let folder = parent.folder(&unfinished)?;
        // Another process with write access to the parent may have replaced it by another folder of this user.
        if !folder.names()?.is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        let folder = folder.called(name)?;
        Ok(Self { parent, name: Some(unfinished), folder })
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Syncs the folder and renames it to its final name. Returns false if the name exists and is not an empty folder.
    pub(crate) fn finish(mut self, name: &str) -> io::Result<bool> {
        self.folder.sync()?;
        if let Some(from) = &self.name {
            // The system replaces only an empty folder.
            match self.parent.rename(from, name) {
                Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty) => {
                    return Ok(false);
                }
                renamed => renamed?,
            }
        }
        self.name = None;
        self.parent.sync()?;
        Ok(true)
    }
}

impl Drop for UnfinishedFolder {
    fn drop(&mut self) {
        let removed = self.name.as_deref().map_or(Ok(()), |name| self.parent.remove_all(name));
        if let Err(error) = removed {
            tracing::debug!(%error, "a temporary folder can't be removed");
        }
    }
}

impl Folder {
    /// Returns the folder as an outermost one, with another name in messages.
    fn called(&self, name: &str) -> io::Result<Self> {
        Self::outermost(self.0.handle.try_clone()?, name.into())
    }
}

fn try_names<T>(mut f: impl FnMut(&str) -> io::Result<T>) -> io::Result<(String, T)> {
    for _ in 0..MAX_TRIES {
        let name = format!(".ghost-{:016x}.unfinished", RandomState::new().hash_one(MAX_TRIES));
        match f(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return Ok((name, made?)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
