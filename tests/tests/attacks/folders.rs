//! Folders that somebody else has laid out: `.ghost` with links, devices, damage and strangers in it.
//!
//! Whatever is in it, ghost ends by itself, and a file outside of it stays as it was.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use ghost_tests::{
    folder::{Finished, Folder},
    root,
};

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

/// What an attacker wants to be changed.
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

    /// Fails unless nothing of it was changed, and nothing was made beside it.
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

/// Takes away what is at a path, whatever it is.
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

/// What ghost opens in a workspace; those of the second kind only some ways open.
const FILES: [&str; 8] = [
    "data.redb",
    "lock",
    "waiting",
    "notify",
    "index/search.lock",
    "secrets/db.age",
    "index/store/mark",
    "index/search/meta.json",
];

/// What may be in the place of each.
const FORMS: [(&str, Lay); 5] = [
    ("a link to a file of the user", |path, victim| Ok(symlink(victim.path(), path)?)),
    ("a second name of a file of the user", |path, victim| Ok(fs::hard_link(victim.path(), path)?)),
    ("a link to what is not there yet", |path, victim| Ok(symlink(victim.folder.path().join("new"), path)?)),
    ("a FIFO that nobody reads", |path, _| shell(Path::new("/"), &format!("mkfifo '{}'", path.display()))),
    ("a folder", |path, _| Ok(fs::create_dir(path)?)),
];

fn in_place_of_files() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for file in FILES {
        for (form, put) in FORMS {
            if form == "a folder" && file.ends_with(".lock") {
                continue;
            }
            attacks.push(Attack::new("folders", format!("{form} stands for .ghost/{file}"), move || {
                let (folder, mut victim) = (used()?, Victim::new()?);
                let path = folder.path().join(".ghost").join(file);
                take_away(&path)?;
                put(&path, &victim)?;
                // A second name changes the number of names, which is no change by ghost.
                victim.state = state(&victim.path())?;
                let seen = go(&folder, None);
                victim.is_untouched()?;
                seen
            }));
        }
    }
    attacks
}

fn in_place_of_folders() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for name in ["index", "index/search", "index/store", "secrets"] {
        attacks.push(Attack::new(
            "folders",
            format!("a link to a folder of the user stands for .ghost/{name}"),
            move || {
                let (folder, victim) = (used()?, Victim::new()?);
                let path = folder.path().join(".ghost").join(name);
                take_away(&path)?;
                symlink(victim.folder.path(), &path)?;
                let seen = go(&folder, None);
                victim.is_untouched()?;
                seen
            },
        ));
    }
    attacks
}

fn of_the_workspace() -> Vec<Attack> {
    vec![
        laid("a workspace that is a link is refused when it was found", Some(".ghost"), |folder, _| {
            fs::rename(folder.join(".ghost"), folder.join("elsewhere"))?;
            Ok(symlink("elsewhere", folder.join(".ghost"))?)
        }),
        laid("a workspace of another user is refused when it was found", Some("another user"), |folder, _| {
            root::is_available();
            shell(folder, "chown 65534 .ghost")
        }),
        laid("a database of another user in a folder of one's own", Some("data.redb"), |folder, _| {
            root::is_available();
            shell(folder, "chown 65534 .ghost/data.redb")
        }),
        laid("secrets of another user", Some("secrets"), |folder, _| {
            root::is_available();
            shell(folder, "chown -R 65534 .ghost/secrets")
        }),
        laid("an index of another user", None, |folder, _| {
            root::is_available();
            shell(folder, "chown -R 65534 .ghost/index")
        }),
        laid("devices stand for the lock and what waits", None, |folder, _| {
            root::is_available();
            shell(folder, "cd .ghost; rm -f lock waiting; mknod lock c 1 3; mknod waiting c 1 5")
        }),
        laid("an endless device stands for the database", None, |folder, _| {
            root::is_available();
            shell(folder, "cd .ghost; rm data.redb; mknod data.redb c 1 5")
        }),
        laid("an endless device stands for a secret", None, |folder, _| {
            root::is_available();
            shell(folder, "cd .ghost; rm secrets/db.age; mknod secrets/db.age c 1 5")
        }),
        laid("a socket stands for the database", None, |folder, _| {
            take_away(&folder.join(".ghost/data.redb"))?;
            // A name of a socket has to be short.
            shell(
                folder,
                "cd .ghost; perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); bind(S,sockaddr_un(\"data.redb\")) or die'",
            )
        }),
        laid("the workspace is a file", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            Ok(fs::write(folder.join(".ghost"), "x")?)
        }),
        laid("the workspace is a FIFO", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            shell(folder, "mkfifo .ghost")
        }),
        laid("the workspace is a link to itself", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            Ok(symlink(".ghost", folder.join(".ghost"))?)
        }),
        laid("an unfinished workspace of an attacker is not taken over", None, |folder, victim| {
            take_away(&folder.join(".ghost"))?;
            shell(folder, "mkdir -m 0777 .ghost.new; echo x > .ghost.new/data.redb; chmod 666 .ghost.new/data.redb")?;
            Ok(symlink(victim.path(), folder.join(".ghost.new/lock"))?)
        }),
        laid("an unfinished workspace that is a link", None, |folder, victim| {
            take_away(&folder.join(".ghost"))?;
            Ok(symlink(victim.folder.path(), folder.join(".ghost.new"))?)
        }),
        laid("an unfinished workspace that is a FIFO", None, |folder, _| {
            take_away(&folder.join(".ghost"))?;
            shell(folder, "mkfifo .ghost.new")
        }),
        laid("the database is empty", None, |folder, _| Ok(fs::write(folder.join(".ghost/data.redb"), "")?)),
        laid("the database is a page of zeroes", None, |folder, _| {
            Ok(fs::write(folder.join(".ghost/data.redb"), vec![0; 4096])?)
        }),
        laid("the database is 1 TB of nothing", None, |folder, _| shell(folder, "truncate -s 1T .ghost/data.redb")),
        laid("the database lost its second half", None, |folder, _| {
            shell(folder, "truncate -s 600000 .ghost/data.redb")
        }),
        laid("the database lost its last byte", None, |folder, _| shell(folder, "truncate -s -1 .ghost/data.redb")),
        laid("the database is another program's", None, |folder, _| {
            Ok(fs::write(folder.join(".ghost/data.redb"), [b"SQLite format 3\0".to_vec(), vec![1; 8192]].concat())?)
        }),
        laid("the head of the database is noise behind its magic number", None, |folder, _| {
            spoil(&folder.join(".ghost/data.redb"), 9, 311)
        }),
        laid("every 4,096th byte of the database is turned", None, |folder, _| {
            let path = folder.join(".ghost/data.redb");
            let mut bytes = fs::read(&path)?;
            bytes.iter_mut().skip(4100).step_by(4096).for_each(|byte| *byte ^= 0x40);
            Ok(fs::write(path, bytes)?)
        }),
        laid("the second half of the database is random", None, |folder, _| {
            let path = folder.join(".ghost/data.redb");
            let length = fs::metadata(&path)?.len() as usize;
            spoil(&path, length / 2, length - 1)
        }),
        laid("the database was taken away", None, |folder, _| take_away(&folder.join(".ghost/data.redb"))),
        laid("what tells of news is 10 GB of nothing", None, |folder, _| {
            shell(folder, "truncate -s 10G .ghost/notify")
        }),
        laid("the lock is 10 GB of nothing", None, |folder, _| shell(folder, "truncate -s 10G .ghost/lock")),
        laid("the files of the index are swapped", None, |folder, _| {
            shell(folder, "cd .ghost/index; mv search x; mv store search; mv x store")
        }),
        laid("every file of the index is noise", None, |folder, _| {
            shell(folder, "cd .ghost/index; for f in */*; do test -f $f && head -c 5000 /dev/urandom > $f; done; true")
        }),
        laid("every file of the index is empty", None, |folder, _| {
            shell(folder, "cd .ghost/index; for f in s*/*; do test -f $f && : > $f; done; true")
        }),
        laid("the index names files of the user", None, |folder, victim| {
            let victim = victim.path().display().to_string();
            for index in ["search", "store"] {
                let meta = folder.join(".ghost/index").join(index).join("meta.json");
                let text = fs::read_to_string(&meta)?
                    .replace("segment_id\":\"", &format!("segment_id\":\"../../../../../..{victim}"));
                fs::write(meta, text)?;
            }
            Ok(())
        }),
        laid("the index's own description is nested 100,000 deep", None, |folder, _| {
            Ok(fs::write(folder.join(".ghost/index/search/meta.json"), "[".repeat(100_000))?)
        }),
        laid("the index's own description is 1 GB of nothing", None, |folder, _| {
            shell(folder, "truncate -s 1G .ghost/index/search/meta.json .ghost/index/store/mark")
        }),
        laid("the mark of the index says that numbers are beyond all bounds", None, |folder, _| {
            let path = folder.join(".ghost/index/search/mark");
            let text = String::from_utf8_lossy(&fs::read(&path)?).replace(|c: char| c.is_ascii_digit(), "9");
            Ok(fs::write(path, text)?)
        }),
        laid("names of files with newlines, escapes and no UTF-8", None, |folder, _| {
            shell(
                folder,
                "cd .ghost; touch \"$(printf 'a\\nerror: forged')\" \"$(printf '\\033[2J\\342\\200\\256')\" \"$(printf '\\377\\376')\"; cd secrets; touch \"$(printf '\\033[2J.age')\" '..age' '.age' 'a b.age' \"$(printf '\\377.age')\"; cd ../index; mkdir \"$(printf '\\033[31m')\"",
            )
        }),
        laid("a thousand strange files in every folder", None, |folder, _| {
            shell(
                folder,
                "cd .ghost; for d in . index index/search index/store secrets; do (cd $d; seq 1000 | xargs touch); done",
            )
        }),
        laid("a secret of 1 GB", None, |folder, _| shell(folder, "truncate -s 1G .ghost/secrets/db.age")),
        laid("a secret that asks for a scrypt of an hour", None, |folder, _| {
            let text = "age-encryption.org/v1\n-> scrypt bBjlhJVYZeE4aqUdmtRHfw 62\nZV/AhotwSGqaPCU43cepl4WYUouAa17a3xpu4G2yi5k\n--- fgMiVLJHMlg9fW7CVG/hPS5EAU4Zeg19LyCP7SoH5nA\nx";
            Ok(fs::write(folder.join(".ghost/secrets/db.age"), text)?)
        }),
        laid("a secret with a million recipients", None, |folder, _| {
            let text = format!(
                "age-encryption.org/v1\n{}---\n",
                "-> X25519 8hWaIUmk67IuRZ41zMk2V9f/w3f5qUnXLL7MGPA+zE8\nxx\n".repeat(300_000)
            );
            Ok(fs::write(folder.join(".ghost/secrets/db.age"), text)?)
        }),
        laid("a secret that is a link to the key", None, |folder, _| {
            take_away(&folder.join(".ghost/secrets/db.age"))?;
            Ok(symlink(folder.join(".config/ghost/key"), folder.join(".ghost/secrets/db.age"))?)
        }),
        laid("the key and a secret are swapped", None, |folder, _| {
            shell(
                folder,
                "mv .config/ghost/key x; mv .ghost/secrets/db.age .config/ghost/key; mv x .ghost/secrets/db.age; chmod 600 .config/ghost/key",
            )
        }),
        laid("the key is a FIFO", None, |folder, _| {
            shell(folder, "rm .config/ghost/key; mkfifo -m 600 .config/ghost/key")
        }),
        laid("the key is 1 GB of nothing", None, |folder, _| shell(folder, "truncate -s 1G .config/ghost/key")),
        laid("a hundred workspaces are nested in each other", None, |folder, _| {
            shell(folder, "d=.ghost; for i in $(seq 40); do d=$d/.ghost; done; mkdir -p $d")
        }),
        laid("config files of git, editors and shells are not run", None, |folder, _| {
            shell(
                folder,
                "printf '#!/bin/sh\\ntouch ran\\n' > .ghost/hooks; chmod 755 .ghost/hooks; echo 'touch ran' > .ghost/config; echo '{}' > package.json; test ! -e ran",
            )
        }),
    ]
}

/// Makes noise of what is between two places of a file.
fn spoil(path: &Path, from: usize, to: usize) -> Result<()> {
    let mut bytes = fs::read(path)?;
    let mut random = fastrand::Rng::with_seed(14);
    let to = to.min(bytes.len());
    bytes[from..to].iter_mut().for_each(|byte| *byte = random.u8(..));
    Ok(fs::write(path, bytes)?)
}

/// Attacks that need more than one process, another user or another disk.
fn in_use() -> Vec<Attack> {
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
            take_away(&folder.path().join(".ghost/index/search"))?;
            symlink(victim.folder.path(), folder.path().join(".ghost/index/search"))?;
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
            let named = folder.ghost(["store", "count", "--workspace", "other", "c"]).finish();
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

fn ended(finished: &Finished) -> Result<Seen> {
    Contract::exits(&[0, 1, 2]).within(Duration::from_secs(15)).check(finished)
}

fn on_a_disk(size: &'static str, length: usize) -> Result<Seen> {
    root::is_available();
    let folder = Folder::new();
    let script = format!("for (let i = 0; i < 100; i++) g.store.put('c', 'k' + i, 'x'.repeat({length}));");
    let command = format!("\"$GHOST\" run -e \"export const main = () => {{ {script} }}\"");
    ended(&root::with_small_disk(&folder, size, &command).finish())
}

pub fn all() -> Vec<Attack> {
    [in_place_of_files(), in_place_of_folders(), of_the_workspace(), in_use()].into_iter().flatten().collect()
}
