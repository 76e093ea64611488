//! Whether the files of an index can be trusted: they are not synced, so after a power loss they can be anything.
//!
//! While an index is open, its mark names the boot of the system: what a killed process wrote is whole as long as the
//! system runs. A closed index also has a print of its files, so that one that was changed meanwhile is noticed. A large one
//! is synced when it is closed, and then outlives the system.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::Path,
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

pub(super) const MARK: &str = "mark";
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
pub(super) fn look(folder: &Path) -> io::Result<Trust> {
    let text = match fs::read(folder.join(MARK)) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) =>
        {
            return Ok(Trust::None);
        }
        Err(error) => return Err(error),
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
pub(super) fn opened(folder: &Path) -> io::Result<()> {
    // Synced, so that no old mark vouches for what comes.
    write(folder, &Mark { layout: LAYOUT, boot: boot(), print: None, synced: false }, true)
}

/// To be called when nothing changes an index any more.
pub(super) fn closed(folder: &Path, synced: bool) -> io::Result<()> {
    let print = print(folder)?;
    if synced {
        for name in print.keys() {
            File::open(folder.join(name))?.sync_all()?;
        }
        File::open(folder)?.sync_all()?;
    }
    write(folder, &Mark { layout: LAYOUT, boot: boot(), print: Some(print), synced }, synced)
}

fn write(folder: &Path, mark: &Mark, synced: bool) -> io::Result<()> {
    let mut file = File::create(folder.join(MARK))?;
    file.write_all(&serde_json::to_vec(mark)?)?;
    if synced { file.sync_all() } else { Ok(()) }
}

fn print(folder: &Path) -> io::Result<Print> {
    let mut print = Print::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != MARK && !LOCKS.contains(&&*name) {
            let metadata = entry.metadata()?;
            let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            print.insert(name, (metadata.len(), changed.as_nanos()));
        }
    }
    Ok(print)
}

/// Names the time since the system was started.
fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}
