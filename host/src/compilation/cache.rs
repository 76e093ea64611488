//! Compiled components in a folder of the user.
//!
//! A file is named by a hash of what the code depends on: the component, the version of ghost, and what Wasmtime's code
//! depends on (its version, its configuration, the instructions of the processor). It contains the SHA-256 hash of the code,
//! and the code. The folder and its files must belong to the user, and no other user may have access to them.

use std::{
    fs::{DirBuilder, Metadata},
    hash::{Hash, Hasher},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

use sha2::{Digest, Sha256};
use wasmtime::Engine;

use crate::{
    engine::compiled::Compiled,
    folder::{Folder, Location, Trust},
};

/// The most that the folder contains.
const MAX_BYTES: u64 = 1 << 30;

const HASH_BYTES: usize = 32;

/// The name of the folder in messages of the log.
const NAME: &str = "the cache of components";

/// The folder.
#[derive(Clone, Debug)]
pub(super) struct Cache(PathBuf);

/// The entry of a component in the cache. Its file may not exist.
pub(super) struct Entry<'c> {
    folder: &'c Path,
    name: String,
}

impl Cache {
    pub(super) fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    pub(super) fn entry(&self, engine: &Engine, component: &[u8]) -> Entry<'_> {
        let mut hash = Hashed(Sha256::new_with_prefix(env!("CARGO_PKG_VERSION")));
        engine.precompile_compatibility_hash().hash(&mut hash);
        hash.0.update(component);
        Entry { folder: &self.0, name: format!("{:x}", hash.0.finalize()) }
    }
}

/// Makes a hash of 256 bits of what is hashed.
struct Hashed(Sha256);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let hash = self.0.clone().finalize();
        hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl Entry<'_> {
    /// Returns the code; `None` if its file does not exist, is longer than `largest`, or can't be trusted.
    pub(super) fn read(&self, largest: u64) -> Option<Compiled> {
        match self.trusted(largest) {
            Ok(code) => Some(Compiled::trusted(code)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(%error, "a cached component is not loaded");
                None
            }
        }
    }

    fn trusted(&self, largest: u64) -> io::Result<Vec<u8>> {
        let file = self.open()?.read_keeping_mode(&self.name)?;
        let metadata = file.metadata()?;
        if !is_private(&metadata) {
            return Err(io::Error::other("other users have access to it"));
        }
        if metadata.len() > largest.saturating_add(HASH_BYTES as u64) {
            return Err(io::Error::other("it is too large for the memory of the run"));
        }
        let mut hash = [0; HASH_BYTES];
        let mut code = Vec::new();
        (&file).read_exact(&mut hash)?;
        file.take(largest).read_to_end(&mut code)?;
        match Sha256::digest(&code)[..] == hash {
            true => Ok(code),
            false => Err(io::Error::new(ErrorKind::InvalidData, "it is damaged")),
        }
    }

    /// Opens the folder. Fails if another user owns it or has access to it.
    fn open(&self) -> io::Result<Folder> {
        let folder = Location::new(self.folder, NAME, Trust::Found).open()?;
        if is_private(&folder.metadata()?) {
            return Ok(folder);
        }
        Err(io::Error::other("other users have access to the folder"))
    }

    /// Writes the code, and removes the oldest entries when there are too many.
    pub(super) fn write(&self, code: &Compiled) -> io::Result<()> {
        DirBuilder::new().mode(0o700).recursive(true).create(self.folder)?;
        let folder = self.open()?;
        let unfinished = folder.unfinished()?;
        let mut file = unfinished.file();
        file.write_all(&Sha256::digest(code.bytes()))?;
        file.write_all(code.bytes())?;
        unfinished.finish(&self.name)?;
        limit(&folder)
    }
}

/// Whether only the owner has access. A [`Folder`] has checked who that is.
fn is_private(metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 == 0
}

/// Removes the least recently written entries until the folder has no more than its limit.
fn limit(folder: &Folder) -> io::Result<()> {
    let mut entries = Vec::new();
    for name in folder.names()? {
        // Another process may have removed it.
        let Ok(metadata) = folder.read_keeping_mode(&name).and_then(|file| file.metadata()) else { continue };
        entries.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), name));
    }
    entries.sort_unstable();
    let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, name) in entries {
        if total <= MAX_BYTES {
            break;
        }
        folder.remove_file(&name)?;
        total -= bytes;
    }
    Ok(())
}
