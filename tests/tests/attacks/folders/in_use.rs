//! Attacks that need more than one process, another user or another disk.

use std::{fs, io::ErrorKind, os::unix::fs::symlink, path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use ghost_tests::{folder::Folder, root};

use super::{FILL, Victim, WAYS, contract, ended, shell, used};
use crate::attack::{Attack, Contract, Seen};

pub fn attacks() -> Vec<Attack> {
    vec![
        Attack::new("folders", "the folder is replaced while a run writes to it", || {
            let folder = used()?;
            let source = "export async function main() { console.log('begun'); for (let i = 0; i < 400; i++) { g.store.put('c', `k${i}`, i); await new Promise((go) => setTimeout(go, 2)); } }";
            let mut running = folder.script(["--timeout", "10s"], source).start();
            running.until_it_says("begun");
            shell(folder.path(), "mv .ghost gone; mkdir .ghost")?;
            ended(&running.finish())
        }),
        Attack::new("folders", "the folder is deleted while a run writes to it and waits for items", || {
            let folder = used()?;
            let source = "export async function main() { console.log('begun'); g.store.put('c', 'k', 1); await g.queue.waitForItem('none', { timeoutMs: 1500 }); g.store.put('c', 'k2', g.store.search('c', 'needle').length); }";
            let mut running = folder.script(["--timeout", "10s"], source).start();
            running.until_it_says("begun");
            shell(folder.path(), "rm -rf .ghost")?;
            ended(&running.finish())
        }),
        Attack::new("folders", "the database is cut to nothing while a run writes to it", || {
            let folder = used()?;
            let source = "export async function main() { console.log('begun'); for (let i = 0; i < 300; i++) { g.store.put('c', `k${i}`, 'x'.repeat(5000)); await new Promise((go) => setTimeout(go, 2)); } }";
            let mut running = folder.script(["--timeout", "10s"], source).start();
            running.until_it_says("begun");
            shell(folder.path(), "truncate -s 0 .ghost/data.redb")?;
            ended(&running.finish())
        }),
        Attack::new("folders", "the files of the index are cut to nothing while a run searches", || {
            let folder = used()?;
            let source = "export async function main() { console.log('begun'); for (let i = 0; i < 150; i++) { g.search.index({ _collection: 'c', _key: `k${i}`, a: 'needle' }); g.search.query('needle'); await new Promise((go) => setTimeout(go, 2)); } }";
            let mut running = folder.script(["--timeout", "15s"], source).start();
            running.until_it_says("begun");
            shell(folder.path(), "sleep 0.2; for f in .ghost/index/search/*.*; do : > $f; done")?;
            ended(&running.finish())
        }),
        Attack::new("folders", "the index is replaced by a link to a folder of the user while a run searches", || {
            let (folder, victim) = (used()?, Victim::new()?);
            let source = "export async function main() { console.log('begun'); for (let i = 0; i < 100; i++) { g.search.index({ _collection: 'c', _key: `k${i}`, a: 'needle' }); g.search.query('needle'); await new Promise((go) => setTimeout(go, 2)); } }";
            let mut running = folder.script(["--timeout", "15s"], source).start();
            running.until_it_says("begun");
            put_link(&victim, &folder.path().join(".ghost/index/search"))?;
            let seen = ended(&running.finish());
            victim.is_untouched()?;
            seen
        }),
        Attack::new("folders", "another process holds the lock and never gives way", || {
            let folder = used()?;
            let mut holder = folder.script([], "export async function main() { g.store.put('c', 'k', 1); console.log('begun'); for (;;) { g.store.put('c', 'k', 1); await null; } }").start();
            holder.until_it_says("begun");
            holder.stop();
            let finished = folder.ghost(["store", "count", "c"]).finish();
            let seen = Contract::exits(&[1]).within(Duration::from_secs(7)).check(&finished);
            holder.signal(libc::SIGKILL);
            holder.finish();
            seen
        }),
        Attack::new("folders", "a disk of 1 MB is full in the middle of a run", || on_a_disk("1m", 50_000)),
        Attack::new("folders", "a disk is full before the workspace is made", || on_a_disk("64k", 10)),
        Attack::new("folders", "a disk is full while an index is built", || {
            root::is_available();
            let folder = Folder::new();
            let script = "for (let i = 0; i < 3000; i++) g.store.put('c', `k${i}`, ('word' + i + ' ').repeat(60)); return g.store.search('c', 'word5').length;";
            let command = format!(
                "$GHOST run -e \"export const main = () => {{ {} }}\"",
                script.replace('`', "\\`").replace('$', "\\$")
            );
            ended(&root::with_small_disk(&folder, "3m", &command).finish())
        }),
        Attack::new("folders", "files that one may not read or write, and folders that one may not enter", || {
            root::is_available();
            let mut seen = Seen::default();
            for change in [
                "chmod 000 .ghost/data.redb",
                "chmod 000 .ghost/lock",
                "chmod 000 .ghost",
                "chmod 000 .ghost/index/search",
                "chmod 400 .ghost/secrets/db.age",
            ] {
                let folder = used()?;
                shell(folder.path(), change)?;
                for way in [&WAYS[0], &WAYS[3], &WAYS[4], &WAYS[5]] {
                    seen = seen.and(ended(&root::ghost_as_nobody(&folder, way.iter().copied()).finish())?);
                }
            }
            Ok(seen)
        }),
        Attack::new("folders", "a workspace that is named through a link, and one of another user", || {
            let folder = used()?;
            symlink(".", folder.path().join("other"))?;
            let count = || folder.ghost(["store", "count", "--workspace", "other", "c"]).finish();
            let named = count();
            ensure!(named.stdout.trim() == "20", "{named}");
            if root::is_available() {
                shell(folder.path(), "chown -R 65534 .ghost")?;
                let named = count();
                ensure!(named.stdout.trim() == "20", "{named}");
            }
            contract().check(&named)
        }),
        Attack::new("folders", "the files of a new workspace are the user's alone", || {
            let folder = Folder::new();
            let made = folder.ghost(["run", "-e", FILL]).finish();
            let seen = Contract::exits(&[0]).check(&made)?;
            let open = Command::new("find").arg(folder.path().join(".ghost")).args(["-perm", "/077"]).output()?;
            ensure!(open.stdout.is_empty(), "others may use {}", String::from_utf8_lossy(&open.stdout));
            Ok(seen)
        }),
        Attack::new("folders", "a new workspace under a umask of nothing is the user's alone", || {
            let folder = Folder::new();
            let mut shell = Command::new("sh");
            shell.args([
                "-c",
                "umask 0; exec \"$0\" run -e \"export const main = () => { g.store.put('c', 'k', 1); }\"",
            ]);
            shell.arg(ghost_tests::program::binary());
            let seen = Contract::exits(&[0]).check(&folder.command(shell).finish())?;
            let open = Command::new("find").arg(folder.path().join(".ghost")).args(["-perm", "/077"]).output()?;
            ensure!(open.stdout.is_empty(), "others may use {}", String::from_utf8_lossy(&open.stdout));
            Ok(seen)
        }),
        Attack::new(
            "folders",
            "twenty processes make the same new workspace in a folder with a stranger's unfinished one",
            || {
                let folder = Folder::new();
                shell(folder.path(), "mkdir -m 0777 .ghost.new; touch .ghost.new/lock")?;
                let source = "export const main = () => { g.store.put('c', crypto.randomUUID(), 1); }";
                let all: Vec<_> = (0..20).map(|_| folder.ghost(["run", "-e", source]).start()).collect();
                let mut seen = Seen::default();
                for one in all {
                    seen = seen.and(Contract::exits(&[0]).within(Duration::from_secs(20)).check(&one.finish())?);
                }
                let count = folder.ghost(["store", "count", "c"]).finish();
                ensure!(count.stdout.trim() == "20", "{count}");
                Ok(seen)
            },
        ),
        Attack::new("folders", "a backup onto a link, a FIFO and the database itself", || {
            let (folder, victim) = (used()?, Victim::new()?);
            symlink(victim.path(), folder.path().join("link"))?;
            shell(folder.path(), "mkfifo fifo")?;
            let mut seen = Seen::default();
            for target in ["link", "fifo", ".ghost/data.redb", "/dev/full", "."] {
                seen = seen.and(ended(&folder.ghost(["workspace", "backup", target]).finish())?);
            }
            victim.is_untouched()?;
            Ok(seen)
        }),
        Attack::new("folders", "a restore of what is no backup changes nothing", || {
            let folder = used()?;
            shell(
                folder.path(),
                "mkfifo fifo; head -c 100000 /dev/urandom > noise; : > empty; truncate -s 5G huge; ln -s .ghost/data.redb link; mkdir dir",
            )?;
            let mut seen = Seen::default();
            for source in ["fifo", "noise", "empty", "huge", "link", "dir", "/dev/zero", "missing"] {
                let finished = folder.ghost(["workspace", "restore", "--force", "--yes", source]).finish();
                seen = seen.and(contract().check(&finished).with_context(|| source.to_owned())?);
            }
            let count = folder.ghost(["store", "count", "c"]).finish();
            ensure!(count.stdout.trim() == "20", "{count}");
            Ok(seen)
        }),
    ]
}

/// Puts a link to the victim's folder in place of one that a run writes to: that is moved away first, and the run may create it
/// again at any time.
fn put_link(victim: &Victim, path: &Path) -> Result<()> {
    for attempt in 0..1000 {
        match fs::rename(path, path.with_extension(attempt.to_string())) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        match symlink(victim.folder.path(), path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            put => return Ok(put?),
        }
    }
    bail!("the run was faster a thousand times")
}

fn on_a_disk(size: &'static str, length: usize) -> Result<Seen> {
    root::is_available();
    let folder = Folder::new();
    let script = format!("for (let i = 0; i < 100; i++) g.store.put('c', 'k' + i, 'x'.repeat({length}));");
    let command = format!("\"$GHOST\" run -e \"export const main = () => {{ {script} }}\"");
    let finished = root::with_small_disk(&folder, size, &command).finish();
    ensure!(finished.stderr.contains("the disk is full"), "the disk was not full\n{finished}");
    Contract::exits(&[1]).within(Duration::from_secs(15)).check(&finished)
}
