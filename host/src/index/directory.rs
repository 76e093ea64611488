//! Tantivy's files, without its syncs: what the index holds can be made again, so it need not survive a power loss. A kill
//! takes nothing, as written files are the system's.
//!
//! Tantivy keeps a list of its files on disk, to remove those that are no longer of use, and writes it again for each file.
//! Here the folder itself is the list: that costs no write, and after a kill it knows of every file.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufWriter, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tantivy::{
    Directory,
    directory::{
        AntiCallToken, DirectoryLock, FileHandle, Lock, TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
        error::{DeleteError, LockError, OpenReadError, OpenWriteError},
    },
};

use super::{
    file::{IndexFile, Parts},
    trust_marker::MARK,
};
use crate::folder::Folder;

/// What Tantivy calls the list of its files.
const LIST: &str = ".managed.json";
/// What an atomic write is called before it takes its place.
const UNFINISHED: &str = "unfinished";
/// The largest file that is read as a whole, in bytes: the list of segments, some hundred bytes for each.
const LONGEST: u64 = 16 << 20;

/// Whether a file is one that Tantivy may remove.
fn is_of_index(name: &str) -> bool {
    name != MARK && !name.starts_with('.')
}

#[derive(Clone, Debug)]
pub(super) struct Unsynced {
    folder: Folder,
    /// The files that are in use: each is opened once.
    opened: Arc<Mutex<HashMap<PathBuf, Weak<IndexFile>>>>,
    parts: Arc<Parts>,
}

impl Unsynced {
    pub(super) fn of(folder: Folder) -> Self {
        Self { folder, opened: Arc::default(), parts: Arc::default() }
    }

    /// The files of the index, in the form of Tantivy's list.
    fn list(&self) -> io::Result<Vec<u8>> {
        let mut names = self.folder.names()?;
        names.retain(|name| is_of_index(name));
        Ok(serde_json::to_vec(&names)?)
    }

    fn file(&self, path: &Path) -> io::Result<Arc<IndexFile>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = opened.get(path).and_then(Weak::upgrade) {
            return Ok(file);
        }
        let file = Arc::new(IndexFile::open(self.folder.read(name(path)?)?, &self.parts)?);
        opened.retain(|_, file| file.strong_count() > 0);
        opened.insert(path.into(), Arc::downgrade(&file));
        Ok(file)
    }
}

/// Tantivy's paths are names in its folder.
fn name(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or(ErrorKind::InvalidInput.into())
}

struct Writer(File);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Writer {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for Unsynced {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        match self.file(path) {
            Ok(file) => Ok(file),
            Err(error) => Err(unreadable(error, path)),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        name(path).and_then(|name| self.folder.remove_file(name)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => DeleteError::FileDoesNotExist(path.into()),
            _ => DeleteError::IoError { io_error: Arc::new(error), filepath: path.into() },
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let exists = name(path).and_then(|name| self.folder.has_file(name));
        exists.map_err(|error| unreadable(error, path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        match name(path).and_then(|name| self.folder.make(name)) {
            Ok(file) => Ok(BufWriter::new(Box::new(Writer(file)))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.into()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.into())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path == Path::new(LIST) {
            return self.list().map_err(|error| OpenReadError::wrap_io_error(error, path.into()));
        }
        let read = |name| {
            let mut bytes = Vec::new();
            self.folder.read(name)?.take(LONGEST).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        name(path).and_then(read).map_err(|error| unreadable(error, path))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(LIST) {
            return Ok(());
        }
        let name = name(path)?;
        let unfinished = format!("{name}.{UNFINISHED}");
        self.folder.make_empty(&unfinished)?.write_all(data)?;
        self.folder.rename(&unfinished, name)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// The lock is let go with the file, also by the system when the process dies.
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let failed = |error: io::Error| LockError::IoError(Arc::new(error));
        let file = name(&lock.filepath).and_then(|name| self.folder.change_or_make(name)).map_err(failed)?;
        match lock.is_blocking {
            true => file.lock().map_err(failed)?,
            false => file.try_lock().map_err(|_| LockError::LockBusy)?,
        }
        Ok(DirectoryLock::from(Box::new(file)))
    }

    /// Readers are told when to look again.
    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

fn unreadable(error: io::Error, path: &Path) -> OpenReadError {
    match error.kind() {
        ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.into()),
        _ => OpenReadError::wrap_io_error(error, path.into()),
    }
}
