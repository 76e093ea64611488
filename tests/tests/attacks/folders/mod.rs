//! Folders prepared by an attacker: `.ghost` with links, devices, damage and files of other users in it.
//!
//! Whatever is in it, ghost ends by itself, and a file outside of it stays as it was.

mod damage;
mod in_use;
mod places;
mod strangers;

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use ghost_tests::folder::{Finished, Folder};

use crate::attack::{Attack, Contract, Seen};

const FILL: &str = "export const main = () => {
  for (let i = 0; i < 20; i++) g.store.put('c', `k${i}`, 'needle ' + i);
  g.queue.enqueue('q', 1);
  g.search.index({ _collection: 'c', _key: 'k', a: 'needle' });
  return [g.store.search('c', 'needle').length, g.search.query('needle').length];
};";

/// Every way into a workspace; each must end by itself, whatever it finds.
const WAYS: [&[&str]; 12] = [
    &["run", "-e", "export const main = () => g.store.count('c')"],
    &["workspace", "info"],
    &["store", "collections"],
    &["search", "query", "needle"],
    &["secret", "list"],
    &["run", "-e", FILL],
    &["run", "-e", "export const main = () => g.queue.waitForItem('none', { timeoutMs: 60 })"],
    &["workspace", "check"],
    &["workspace", "backup", "copy"],
    &["workspace", "compact"],
    &["search", "rebuild"],
    &["secret", "remove", "db"],
];

/// Files that an attacker wants ghost to change.
struct Victim {
    folder: Folder,
    content: Vec<u8>,
    state: (u64, i64, i64, u32, u64),
    entries: usize,
}

impl Victim {
    fn new() -> Result<Self> {
        let folder = Folder::new();
        let content = b"precious\n".repeat(1000);
        let path = folder.write("victim", &content);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640))?;
        let state = state(&path)?;
        Ok(Self { folder, content, state, entries: 1 })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("victim")
    }

    /// Fails if any of it was changed, or anything was created next to it.
    fn is_untouched(&self) -> Result<()> {
        ensure!(fs::read(self.path())? == self.content, "a file outside of the workspace was written to");
        ensure!(state(&self.path())? == self.state, "a file outside of the workspace was changed");
        let entries = fs::read_dir(self.folder.path())?.count();
        ensure!(entries == self.entries, "something was made outside of the workspace");
        Ok(())
    }
}

fn state(path: &Path) -> Result<(u64, i64, i64, u32, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.len(), found.mtime(), found.mtime_nsec(), found.mode(), found.ino()))
}

/// A folder with a workspace in which everything was used once.
fn used() -> Result<Folder> {
    let folder = Folder::new();
    let made = folder.ghost(["run", "-e", FILL]).finish();
    ensure!(made.status.code() == Some(0), "{made}");
    let set = folder.ghost(["secret", "set", "db"]).stdin("host=localhost").finish();
    ensure!(set.status.code() == Some(0), "{set}");
    Ok(folder)
}

fn contract() -> Contract {
    // A call waits 5 s for another process that holds the workspace.
    Contract::exits(&[0, 1, 2]).within(Duration::from_secs(12))
}

/// Goes every way into a folder. With `refused`, the first way that meets what is there says this.
fn go(folder: &Folder, refused: Option<&str>) -> Result<Seen> {
    let mut seen = Seen::default();
    let mut said = false;
    for way in WAYS {
        let finished = folder.ghost(way.iter().copied()).finish();
        seen = seen.and(contract().check(&finished).with_context(|| way.join(" "))?);
        said |= refused.is_some_and(|name| finished.status.code() != Some(0) && finished.stderr.contains(name));
    }
    ensure!(refused.is_none() || said, "nothing was refused with the name {:?}", refused.unwrap_or_default());
    Ok(seen)
}

type Lay = fn(&Path, &Victim) -> Result<()>;

/// An attack on a workspace that was used; what is laid in it is refused with this name, where it has to be.
fn laid(name: impl Into<String>, refused: Option<&'static str>, lay: Lay) -> Attack {
    Attack::new("folders", name, move || {
        let (folder, victim) = (used()?, Victim::new()?);
        lay(folder.path(), &victim)?;
        let seen = go(&folder, refused);
        victim.is_untouched()?;
        seen
    })
}

/// Removes the entry at a path, whatever it is.
fn take_away(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    Ok(())
}

fn shell(folder: &Path, script: &str) -> Result<()> {
    let ended = Command::new("sh").args(["-ec", script]).current_dir(folder).output()?;
    ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Ok(())
}

fn ended(finished: &Finished) -> Result<Seen> {
    Contract::exits(&[0, 1, 2]).within(Duration::from_secs(15)).check(finished)
}

pub fn all() -> Vec<Attack> {
    [places::attacks(), strangers::attacks(), damage::attacks(), in_use::attacks()].into_iter().flatten().collect()
}
