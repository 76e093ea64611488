//! Whether the files of an index can be trusted: they are not synced, so after a power loss they may have any content.
//!
//! While an index is open, its trust marker contains the boot id of the system: the files of a killed process are complete
//! as long as the system runs. The marker of a closed index also lists its files with sizes and times, so that a change is
//! detected. A large index is synced when it is closed, and is trusted after a restart too.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind, Read, Write},
};

use serde::{Deserialize, Serialize};

use crate::folder::Folder;

pub(super) const MARK: &str = "mark";
/// A marker lists a few dozen files.
const LONGEST: u64 = 16 << 20;
/// A marker of another layout is not trusted.
const LAYOUT: u32 = 2;
/// What changes without the index.
const LOCKS: [&str; 2] = [".tantivy-writer.lock", ".tantivy-meta.lock"];

/// Names of files, with their sizes and the times of their last changes.
type Print = BTreeMap<String, (u64, u128)>;

#[derive(Serialize, Deserialize)]
struct Marker {
    layout: u32,
    /// None if the system has no boot id.
    boot: Option<String>,
    /// None while the index is open.
    print: Option<Print>,
    synced: bool,
}

/// What a trust marker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The files are unchanged since the index was closed.
    Full,
    /// The process that wrote them was killed: checksums have to be verified.
    Check,
    /// They may have any content.
    None,
}

/// Reads the trust marker of an index before it is opened.
pub(super) fn look(folder: &Folder) -> io::Result<Trust> {
    let mut text = Vec::new();
    match folder.read(MARK) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Trust::None),
        marker => marker?.take(LONGEST).read_to_end(&mut text)?,
    };
    let Ok(marker) = serde_json::from_slice::<Marker>(&text) else { return Ok(Trust::None) };
    let same_boot = marker.boot.is_some() && marker.boot == boot();
    Ok(match marker.print {
        _ if marker.layout != LAYOUT || !(same_boot || marker.synced) => Trust::None,
        Some(print) if print == self::print(folder)? => Trust::Full,
        Some(_) => Trust::None,
        None => Trust::Check,
    })
}

/// To be called before an index is changed.
pub(super) fn opened(folder: &Folder) -> io::Result<()> {
    // Synced, so that no old marker is found with new files.
    write(folder, &Marker { layout: LAYOUT, boot: boot(), print: None, synced: false }, true)
}

/// To be called when the files of the index are complete.
pub(super) fn closed(folder: &Folder, synced: bool) -> io::Result<()> {
    let print = print(folder)?;
    if synced {
        for name in print.keys() {
            folder.read(name)?.sync_all()?;
        }
        folder.sync()?;
    }
    write(folder, &Marker { layout: LAYOUT, boot: boot(), print: Some(print), synced }, synced)
}

fn write(folder: &Folder, marker: &Marker, synced: bool) -> io::Result<()> {
    let mut file = folder.make_empty(MARK)?;
    file.write_all(&serde_json::to_vec(marker)?)?;
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
