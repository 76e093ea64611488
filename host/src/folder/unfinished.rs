//! What is made under another name until it is complete.

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

/// How often another name is tried.
const TRIES: usize = 100;

/// A file that is removed unless it is moved into place.
pub(crate) struct Unfinished {
    folder: Folder,
    name: Option<String>,
    file: File,
}

impl Folder {
    /// A new file under a name that nobody can foresee.
    pub(crate) fn unfinished(&self) -> io::Result<Unfinished> {
        let (name, file) = try_names(|name| self.make(name))?;
        Ok(Unfinished { folder: self.clone(), name: Some(name), file })
    }

    /// An empty file of this name, in place of one that was not finished.
    pub(crate) fn unfinished_as(&self, name: &str) -> io::Result<Unfinished> {
        let file = self.make_empty(name)?;
        Ok(Unfinished { folder: self.clone(), name: Some(name.into()), file })
    }
}

impl Unfinished {
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Puts the file on disk under its name, in place of what has it.
    pub(crate) fn finish(mut self, name: &str) -> io::Result<()> {
        self.file.sync_all()?;
        if let Some(from) = &self.name {
            self.folder.rename(from, name)?;
        }
        self.name = None;
        self.folder.sync()
    }

    /// The same, unless something has the name. False when something has.
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
            tracing::debug!(%error, "a file that was begun can't be removed");
        }
    }
}

/// A file system that can't look and rename in one step does both.
fn rename_new(folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    let (handle, from_name, to_name) = (&folder.0.handle, single(from)?, single(to)?);
    match rustix::fs::renameat_with(handle, from_name, handle, to_name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) if folder.stat(to)?.is_none() => folder.rename(from, to),
        Err(Errno::INVAL | Errno::NOSYS) => Err(ErrorKind::AlreadyExists.into()),
        renamed => Ok(renamed?),
    }
}

/// A folder that is removed with all that is in it unless it is moved into place.
pub(crate) struct UnfinishedFolder {
    around: Folder,
    name: Option<String>,
    folder: Folder,
}

impl UnfinishedFolder {
    /// A new one inside another, of this user alone, under a name that nobody can foresee. `name` is what messages call it.
    pub(crate) fn make_in(around: &Location, name: &str) -> io::Result<Self> {
        let around = around.open()?;
        let make = |name: &str| Ok(rustix::fs::mkdirat(&around.0.handle, single(name)?, Mode::RWXU)?);
        let (unfinished, ()) = try_names(make)?;
        let folder = around.folder(&unfinished)?;
        // Whoever may write around it may have swapped it meanwhile: for another folder of this user.
        if !folder.names()?.is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        let folder = folder.called(name)?;
        Ok(Self { around, name: Some(unfinished), folder })
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Puts the folder on disk under its name. False when something has it that is no empty folder.
    pub(crate) fn finish(mut self, name: &str) -> io::Result<bool> {
        self.folder.sync()?;
        if let Some(from) = &self.name {
            // The system puts a folder in place of nothing but an empty one.
            match self.around.rename(from, name) {
                Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty) => {
                    return Ok(false);
                }
                renamed => renamed?,
            }
        }
        self.name = None;
        self.around.sync()?;
        Ok(true)
    }
}

impl Drop for UnfinishedFolder {
    fn drop(&mut self) {
        let removed = self.name.as_deref().map_or(Ok(()), |name| self.around.remove_all(name));
        if let Err(error) = removed {
            tracing::debug!(%error, "a folder that was begun can't be removed");
        }
    }
}

impl Folder {
    /// The same folder as the outermost one, under another name in messages.
    fn called(&self, name: &str) -> io::Result<Self> {
        Self::outermost(self.0.handle.try_clone()?, name.into())
    }
}

fn try_names<T>(mut f: impl FnMut(&str) -> io::Result<T>) -> io::Result<(String, T)> {
    for _ in 0..TRIES {
        let name = format!(".ghost-{:016x}.unfinished", RandomState::new().hash_one(TRIES));
        match f(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return Ok((name, made?)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
