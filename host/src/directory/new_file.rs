//! A file that is written under a random name, and takes the place of its target when it is complete.

use std::{
    fs::File,
    io::{self, IoSlice, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use cap_std::fs::{Dir, OpenOptions};

use super::{Target, check_outside_workspace, denied, of_writing};
use crate::{Error, ErrorCode};

/// How many random names are tried.
const ATTEMPTS: usize = 8;

/// A file that is being written. Unless it is [committed](Self::commit), dropping it removes it and the folders that
/// were made for it.
pub(crate) struct NewFile {
    file: File,
    draft: Draft,
    /// The name of the target in its folder.
    name: PathBuf,
}

/// The files and folders on disk of a new file that is not complete. The thread that writes the file can't be stopped,
/// so it shares them with the clean-up that removes them when the call is cancelled.
#[derive(Clone, Default)]
pub(crate) struct Draft(Arc<Shared>);

#[derive(Default)]
struct Shared {
    is_cancelled: AtomicBool,
    unfinished: Mutex<Option<Unfinished>>,
}

impl Draft {
    /// Makes every thread that is about to create the file, or to move it to its target, fail.
    pub(crate) fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
    }

    /// Removes the file, and the folders that were made for it.
    pub(crate) fn remove(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Unfinished>> {
        self.0.unfinished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the files to create the file or to move it to its target. Fails if the call was cancelled.
    fn lock_unless_cancelled(&self) -> Result<MutexGuard<'_, Option<Unfinished>>, Error> {
        let unfinished = self.lock();
        if self.0.is_cancelled.load(Ordering::SeqCst) {
            return Err(Error::new(
                ErrorCode::Timeout,
                "the call was cancelled before the file of localPath was complete",
            ));
        }
        Ok(unfinished)
    }
}

/// What has to be removed if the file does not become complete.
struct Unfinished {
    /// The folder of the file.
    parent: Dir,
    /// The random name of the file; none once it is renamed.
    name: Option<PathBuf>,
    made: MadeFolders,
}

/// Folders that were made, from the outermost on, and the folder in which their paths begin.
struct MadeFolders {
    folder: Dir,
    paths: Vec<PathBuf>,
}

impl NewFile {
    pub(super) fn beside(folder: Dir, target: &Target<'_>, draft: &Draft) -> Result<Self, Error> {
        let mut unfinished = draft.lock_unless_cancelled()?;
        let made = make_folders(folder, target.parent)?;
        let parent = made.folder.open_dir(target.folder()).map_err(|error| of_writing(&error))?;
        check_outside_workspace(&parent)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        for _ in 0..ATTEMPTS {
            let name = PathBuf::from(format!(".ghost-{:016x}.part", fastrand::u64(..)));
            match parent.open_with(&name, &options) {
                Ok(file) => {
                    *unfinished = Some(Unfinished { parent, name: Some(name), made });
                    return Ok(Self { file: file.into_std(), draft: draft.clone(), name: target.name.to_owned() });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(of_writing(&error)),
            }
        }
        Err(denied("the folder of localPath is full of unfinished files"))
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, chunks: &[Bytes]) -> Result<(), Error> {
        let mut slices: Vec<_> = chunks.iter().map(|chunk| IoSlice::new(chunk)).collect();
        let mut rest = &mut slices[..];
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            match self.file.write_vectored(rest) {
                Ok(0) => return Err(of_writing(&io::ErrorKind::WriteZero.into())),
                Ok(written) => IoSlice::advance_slices(&mut rest, written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(of_writing(&error)),
            }
        }
        Ok(())
    }

    /// Waits until the content is on disk.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.file.sync_all().map_err(|error| of_writing(&error))
    }

    /// Puts the file in the place of its target.
    pub(crate) fn commit(self) -> Result<(), Error> {
        let mut unfinished = self.draft.lock_unless_cancelled()?;
        let Some(Unfinished { parent, name, made }) = unfinished.as_mut() else { return Ok(()) };
        let Some(random) = name.as_deref() else { return Ok(()) };
        // A link that is the target by now is replaced, not followed; a folder refuses.
        parent.rename(random, parent, &self.name).map_err(|error| of_writing(&error))?;
        *name = None;
        made.paths.clear();
        // The name is on disk too, where the file system can say so.
        if let Ok(folder) = parent.open(".") {
            let _unsupported = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        self.draft.remove();
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(name) = self.name.take()
            && let Err(error) = self.parent.remove_file(&name)
        {
            tracing::warn!("an unfinished file can't be removed: {}", error.kind());
        }
        // `made` is dropped after this, and removes the folders.
    }
}

impl Drop for MadeFolders {
    /// Removes those that are still empty.
    fn drop(&mut self) {
        for path in self.paths.drain(..).rev() {
            if self.folder.remove_dir(&path).is_err() {
                return;
            }
        }
    }
}

/// Makes the folders of a path that do not exist.
fn make_folders(folder: Dir, path: &Path) -> Result<MadeFolders, Error> {
    let mut made = MadeFolders { folder, paths: Vec::new() };
    let mut current = PathBuf::new();
    for component in path.components() {
        let parent = current.clone();
        current.push(component);
        let is_folder = || made.folder.metadata(&current).is_ok_and(|found| found.is_dir());
        if is_folder() {
            continue;
        }
        // A link may lead into a workspace: nothing is made there, not even for a moment.
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent.as_path() };
        check_outside_workspace(&made.folder.open_dir(parent).map_err(|error| of_writing(&error))?)?;
        match made.folder.create_dir(&current) {
            Ok(()) => made.paths.push(current.clone()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists || is_folder() => {}
            Err(error) => return Err(of_writing(&error)),
        }
    }
    Ok(made)
}
