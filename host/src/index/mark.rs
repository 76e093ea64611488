//! Whether the files of an index can be trusted: they are not synced, so after a power loss they can be anything.
//!
//! While an index is open, its mark names the boot of the system: what a killed process wrote is whole as long as the
//! system runs. A closed index also has a print of its files, so that one that was changed meanwhile is noticed. A large one
//! is synced when it is closed, and then outlives the system.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind, Read, Write},
};

use serde::{Deserialize, Serialize};

use crate::folder::Folder;

pub(super) const MARK: &str = "mark";
/// A mark names a few dozen files.
const LONGEST: u64 = 16 << 20;
/// The mark of another layout is not to be trusted.
const LAYOUT: u32 = 2;
/// What changes without the index.
const LOCKS: [&str; 2] = [".tantivy-writer.lock", ".tantivy-meta.lock"];

/// Names of files, with their sizes and the times of their last changes.
type Print = BTreeMap<String, (u64, u128)>;

#[derive(Serialize, Deserialize)]
struct Mark {
    layout: u32,
    /// None where the system does not tell.
    boot: Option<String>,
    /// None while the index is open.
    print: Option<Print>,
    synced: bool,
}

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The files are as they were left.
    Full,
    /// They were left by a process that was killed.
    Check,
    /// They may be anything.
    None,
}

/// Looks whether an index can be trusted, before it is opened.
pub(super) fn look(folder: &Folder) -> io::Result<Trust> {
    let mut text = Vec::new();
    match folder.read(MARK) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Trust::None),
        mark => mark?.take(LONGEST).read_to_end(&mut text)?,
    };
    let Ok(mark) = serde_json::from_slice::<Mark>(&text) else { return Ok(Trust::None) };
    let same_boot = mark.boot.is_some() && mark.boot == boot();
    Ok(match mark.print {
        _ if mark.layout != LAYOUT || !(same_boot || mark.synced) => Trust::None,
        Some(print) if print == self::print(folder)? => Trust::Full,
        Some(_) => Trust::None,
        None => Trust::Check,
    })
}

/// To be called before an index is changed.
pub(super) fn opened(folder: &Folder) -> io::Result<()> {
    // Synced, so that no old mark vouches for what comes.
    write(folder, &Mark { layout: LAYOUT, boot: boot(), print: None, synced: false }, true)
}

/// To be called when nothing changes an index any more.
pub(super) fn closed(folder: &Folder, synced: bool) -> io::Result<()> {
    let print = print(folder)?;
    if synced {
        for name in print.keys() {
            folder.read(name)?.sync_all()?;
        }
        folder.sync()?;
    }
    write(folder, &Mark { layout: LAYOUT, boot: boot(), print: Some(print), synced }, synced)
}

fn write(folder: &Folder, mark: &Mark, synced: bool) -> io::Result<()> {
    let mut file = folder.make_empty(MARK)?;
    file.write_all(&serde_json::to_vec(mark)?)?;
    if synced { file.sync_all() } else { Ok(()) }
}

fn print(folder: &Folder) -> io::Result<Print> {
    let mut print = Print::new();
    for name in folder.names()? {
        if name != MARK && !LOCKS.contains(&&*name) {
            let file = folder.stat(&name)?.ok_or(ErrorKind::NotFound)?;
            let changed =
                u128::try_from(file.st_mtime).unwrap_or_default() * 1_000_000_000 + file.st_mtime_nsec as u128;
            print.insert(name, (u64::try_from(file.st_size).unwrap_or_default(), changed));
        }
    }
    Ok(print)
}

/// Names the time since the system was started.
fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}
