//! Tantivy's files, without its syncs: what the index holds can be made again, so it need not survive a power loss. A kill
//! takes nothing, as written files are the system's.
//!
//! Tantivy keeps a list of its files on disk, to remove those that are no longer of use, and writes it again for each file.
//! Here the folder itself is the list: that costs no write, and after a kill it knows of every file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use tantivy::{
    Directory,
    directory::{
        AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
        WritePtr,
        error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError},
    },
};

use super::mark::MARK;

/// What Tantivy calls the list of its files.
const LIST: &str = ".managed.json";
/// What an atomic write is called before it takes its place.
const UNFINISHED: &str = "unfinished";

/// Whether a file is one that Tantivy may remove.
fn is_of_index(name: &str) -> bool {
    name != MARK && !name.starts_with('.')
}

#[derive(Clone, Debug)]
pub(super) struct Unsynced {
    folder: PathBuf,
    files: MmapDirectory,
}

impl Unsynced {
    pub(super) fn open(folder: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self { folder: folder.into(), files: MmapDirectory::open(folder)? })
    }

    /// The files of the index, in the form of Tantivy's list.
    fn list(&self) -> io::Result<Vec<u8>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                names.extend(entry.file_name().into_string().ok().filter(|name| is_of_index(name)));
            }
        }
        Ok(serde_json::to_vec(&names)?)
    }
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
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        match OpenOptions::new().write(true).create_new(true).open(self.folder.join(path)) {
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
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(LIST) {
            return Ok(());
        }
        let unfinished = self.folder.join(path).with_added_extension(UNFINISHED);
        fs::write(&unfinished, data)?;
        fs::rename(unfinished, self.folder.join(path))
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
