//! Access to the files of a workspace: by a single name relative to an open folder, never through a link.
//!
//! A workspace may contain files from an untrusted source, such as a repository or a shared folder. Each entry is therefore
//! opened with `O_NOFOLLOW` and checked before use: it must be a regular file with one hard link, or a folder, and belong to
//! this user. Every other entry is refused ([`Refused`]) before anything is written. No path is walked twice, so replacing
//! a folder after it was opened has no effect.
//!
//! Folders have mode 0700 and files 0600; more permissive modes of this user's entries are reduced when they are opened.

mod location;
mod refused;
#[cfg(test)]
mod tests;
mod unfinished;

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io::{self, ErrorKind},
    os::unix::ffi::OsStrExt,
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat},
    process::geteuid,
};

pub(crate) use location::{Location, Trust};
pub(crate) use refused::{Refused, refusal};
pub(crate) use unfinished::UnfinishedFolder;

/// The maximum depth of a folder that is removed. ghost itself creates two levels.
const MAX_DEPTH: usize = 8;

/// An open folder. Clones share the handle.
#[derive(Clone, Debug)]
pub(crate) struct Folder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    handle: File,
    /// Its name in messages, for example `.ghost/index`.
    name: String,
    owners: Owners,
}

/// The users whose files may be opened: this one, and the owner of the outermost folder that the user named.
#[derive(Clone, Copy, Debug)]
struct Owners {
    user: u32,
    folder: u32,
}

impl Owners {
    fn include(self, stat: &Stat) -> bool {
        [self.user, self.folder].contains(&stat.st_uid)
    }
}

/// What distinguishes a file from every other one, as long as it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Ok(Self::of_stat(&rustix::fs::fstat(file)?))
    }

    fn of_stat(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// Whether to reduce a mode that gives other users access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Modes {
    Tighten,
    Keep,
}

impl Folder {
    fn outermost(handle: File, name: String) -> io::Result<Self> {
        let stat = rustix::fs::fstat(&handle)?;
        let owners = Owners { user: geteuid().as_raw(), folder: stat.st_uid };
        Ok(Self(Arc::new(Inner { handle, name, owners })))
    }

    /// Removes the access of other users, if the folder belongs to this user.
    pub(crate) fn tighten(&self) -> io::Result<()> {
        let stat = rustix::fs::fstat(&self.0.handle)?;
        tighten(&self.0.handle, &stat, self.0.owners.user);
        Ok(())
    }

    /// Returns the metadata of the folder itself.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.0.handle.metadata()
    }

    /// Opens a folder inside.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle = self.open_at(name, flags).map_err(|error| self.explained(name, error, FileType::Directory))?;
        self.admit(name, &handle, FileType::Directory, Modes::Tighten)?;
        let (name, owners) = (self.path_of(name), self.0.owners);
        Ok(Self(Arc::new(Inner { handle, name, owners })))
    }

    /// Opens a folder inside, and creates it if it does not exist.
    pub(crate) fn make_folder(&self, name: &str) -> io::Result<Self> {
        match self.folder(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match rustix::fs::mkdirat(&self.0.handle, single(name)?, Mode::RWXU) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
                    _ => self.folder(name),
                }
            }
            folder => folder,
        }
    }

    /// Opens a file to read it.
    pub(crate) fn read(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDONLY, Modes::Tighten)
    }

    /// Opens a file to read it, without changing its mode.
    pub(crate) fn read_keeping_mode(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDONLY, Modes::Keep)
    }

    /// Opens a file to change it.
    pub(crate) fn change(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDWR, Modes::Tighten)
    }

    /// Opens a file to change it, and creates it if it does not exist.
    pub(crate) fn change_or_make(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::CREATE, Modes::Tighten)
    }

    /// Opens a file to append to it, and creates it if it does not exist.
    pub(crate) fn append(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND, Modes::Tighten)
    }

    /// Creates a file; fails if it exists.
    pub(crate) fn make(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, Modes::Keep)
    }

    /// Opens a file and truncates it; creates it if it does not exist.
    pub(crate) fn make_empty(&self, name: &str) -> io::Result<File> {
        // Not with O_TRUNC, which would truncate the file before it is checked.
        let file = self.change_or_make(name)?;
        file.set_len(0)?;
        Ok(file)
    }

    fn file(&self, name: &str, flags: OFlags, modes: Modes) -> io::Result<File> {
        let file = self.open_at(name, flags).map_err(|error| self.explained(name, error, FileType::RegularFile))?;
        self.admit(name, &file, FileType::RegularFile, modes)?;
        Ok(file)
    }

    /// Opens an entry without blocking on a FIFO and without acquiring a controlling terminal.
    fn open_at(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(rustix::fs::openat(&self.0.handle, single(name)?, flags, mode).map(File::from)?)
    }

    /// Checks an open entry, and removes the access of other users.
    fn admit(&self, name: &str, file: &File, wanted: FileType, modes: Modes) -> io::Result<()> {
        let stat = rustix::fs::fstat(file)?;
        self.check(name, &stat, wanted)?;
        if modes == Modes::Tighten {
            tighten(file, &stat, self.0.owners.user);
        }
        Ok(())
    }

    fn check(&self, name: &str, stat: &Stat, wanted: FileType) -> io::Result<()> {
        Refused::reason(stat, wanted, self.0.owners).map_or(Ok(()), |why| Err(self.refused(name, why)))
    }

    fn refused(&self, name: &str, why: &'static str) -> io::Error {
        Refused::new(self.path_of(name), why).into()
    }

    /// Returns a refusal that names the entry, if it could not be opened because of its kind.
    fn explained(&self, name: &str, error: io::Error, wanted: FileType) -> io::Error {
        if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) {
            return error;
        }
        let refused = self.stat(name).and_then(|stat| stat.map_or(Ok(()), |stat| self.check(name, &stat, wanted)));
        refused.err().unwrap_or(error)
    }

    /// Returns the metadata of an entry, without following a link; none if it does not exist.
    pub(crate) fn stat(&self, name: &str) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(&self.0.handle, single(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a file of this name exists. Refuses an entry that is not a usable file.
    pub(crate) fn has_file(&self, name: &str) -> io::Result<bool> {
        self.stat(name)?.map_or(Ok(false), |stat| self.check(name, &stat, FileType::RegularFile).map(|()| true))
    }

    /// Whether an open file is still the one with this name.
    pub(crate) fn is_at(&self, file: &File, name: &str) -> io::Result<bool> {
        self.has(Identity::of(file)?, name)
    }

    /// Whether this name still refers to an open file.
    pub(crate) fn has(&self, file: Identity, name: &str) -> io::Result<bool> {
        Ok(self.stat(name)?.is_some_and(|named| Identity::of_stat(&named) == file))
    }

    /// Whether two handles refer to the same folder.
    pub(crate) fn is(&self, other: &Self) -> io::Result<bool> {
        Ok(self.identity()? == other.identity()?)
    }

    fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.0.handle)
    }

    /// Returns the names of the entries, unordered. Omits names that are not UTF-8, which ghost never creates.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0.handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            names.extend(name.to_str().filter(|name| !matches!(*name, "." | "..")).map(String::from));
        }
        Ok(names)
    }

    /// Returns the names of the entries. Refuses an entry that is not a usable file or folder, and a folder in place of one of
    /// `files`.
    pub(crate) fn names_of_own(&self, files: &[&str]) -> io::Result<Vec<String>> {
        let names = self.names()?;
        for name in &names {
            let Some(stat) = self.stat(name)? else { continue };
            let wanted = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory if !files.contains(&name.as_str()) => FileType::Directory,
                _ => FileType::RegularFile,
            };
            self.check(name, &stat, wanted)?;
        }
        Ok(names)
    }

    /// Returns the total size of the files, without those in inner folders. Files may disappear meanwhile.
    pub(crate) fn bytes(&self) -> io::Result<u64> {
        let mut bytes = 0;
        for name in self.names()? {
            let stat = self.stat(&name)?;
            let file = stat.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
            bytes += file.map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0));
        }
        Ok(bytes)
    }

    /// Removes an entry that is not a folder; of a link, the link itself.
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0.handle, single(name)?, AtFlags::empty())?)
    }

    /// Removes a folder with its contents, or a file; does nothing if it does not exist.
    pub(crate) fn remove_all(&self, name: &str) -> io::Result<()> {
        self.remove_up_to(name, MAX_DEPTH)
    }

    fn remove_up_to(&self, name: &str, depth: usize) -> io::Result<()> {
        let Some(stat) = self.stat(name)? else { return Ok(()) };
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return gone(self.remove_file(name));
        }
        let depth = depth.checked_sub(1).ok_or(ErrorKind::DirectoryNotEmpty)?;
        let inside = self.folder(name)?;
        for entry in inside.names()? {
            inside.remove_up_to(&entry, depth)?;
        }
        gone(rustix::fs::unlinkat(&self.0.handle, single(name)?, AtFlags::REMOVEDIR).map_err(io::Error::from))
    }

    /// Renames an entry; replaces the one with the new name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0.handle, single(from)?, &self.0.handle, single(to)?)?)
    }

    /// Syncs the folder's list of entries to disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.handle.sync_all()
    }

    fn path_of(&self, name: &str) -> String {
        if self.0.name.is_empty() { name.to_owned() } else { format!("{}/{name}", self.0.name) }
    }
}

/// Returns a name if it is not a path, which could leave the folder or lead through links.
fn single(name: &str) -> io::Result<&str> {
    let is_single = !name.is_empty() && name != "." && name != ".." && !name.contains('/');
    if is_single { Ok(name) } else { Err(ErrorKind::InvalidInput.into()) }
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Removes the access of other users. Fails silently on a file system without modes.
fn tighten(file: &File, stat: &Stat, user: u32) {
    let mode = Mode::from_raw_mode(stat.st_mode);
    if stat.st_uid != user || !mode.intersects(Mode::RWXG | Mode::RWXO) {
        return;
    }
    if let Err(error) = rustix::fs::fchmod(file, mode & Mode::RWXU) {
        tracing::debug!(%error, "the mode of a file of the workspace can't be changed");
    }
}
