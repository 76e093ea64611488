//! A workspace prepared by an attacker, with links, FIFOs, devices and files of other users in it. What they lead to stays
//! unchanged, no command hangs, and the error names the entry.

mod links;
mod permissions;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{
        fs::{MetadataExt, chown, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use ghost_tests::{
    folder::{Finished, Folder, Run},
    program, root,
};

/// Longer than any of these commands takes.
const HANGS_AFTER: Duration = Duration::from_secs(20);

const FILL: &str = "
export function main() {
  g.store.put('notes', 'a', { text: 'tea' });
  g.queue.enqueue('jobs', 1);
  g.search.index({ _collection: 'c', _key: 'k', text: 'tea' });
  g.search.query('tea');
  g.store.search('notes', 'tea');
}";

const USE: &str = "
export function main() {
  g.store.put('notes', 'b', { text: 'tea' });
  g.queue.enqueue('jobs', 2);
  g.search.index({ _collection: 'c', _key: 'l', text: 'tea' });
  return [g.search.query('tea').length, g.store.search('notes', 'tea').length];
}";

/// Commands that any user may run.
const COMMANDS: [&[&str]; 15] = [
    &["run", "use.js"],
    &["store", "list", "notes"],
    &["store", "put", "notes", "c", "1"],
    &["search", "query", "tea"],
    &["search", "info"],
    &["queue", "list"],
    &["queue", "show", "jobs"],
    &["workspace", "info"],
    &["workspace", "check"],
    &["workspace", "compact"],
    &["workspace", "backup", "--force", "copy.backup"],
    &["workspace", "restore", "--force", "then.backup"],
    &["secret", "list"],
    &["secret", "set", "orders"],
    &["init"],
];

/// The entries of a workspace that ghost opens or creates, and whether they are folders.
const ENTRIES: [(&str, bool); 16] = [
    (".gitignore", false),
    ("lock", false),
    ("waiting", false),
    ("data.redb", false),
    ("data.redb.new", false),
    ("notify", false),
    ("index", true),
    ("index/search", true),
    ("index/search/meta.json", false),
    ("index/search/mark", false),
    ("index/search/.tantivy-writer.lock", false),
    ("index/store.lock", true),
    ("index/store.lock/lock", false),
    ("index/store.lock/waiting", false),
    ("secrets", true),
    ("secrets/orders.age", false),
];

/// What replaces an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replacement {
    LinkToFile,
    LinkToFolder,
    LinkToNothing,
    HardLink,
    Fifo,
    Socket,
    Device,
    OfAnotherUser,
    Other,
}

const REPLACEMENTS: [Replacement; 9] = [
    Replacement::LinkToFile,
    Replacement::LinkToFolder,
    Replacement::LinkToNothing,
    Replacement::HardLink,
    Replacement::Fifo,
    Replacement::Socket,
    Replacement::Device,
    Replacement::OfAnotherUser,
    Replacement::Other,
];

/// A user's project with a workspace, next to private files.
struct AttackedProject {
    folder: Folder,
}

impl AttackedProject {
    fn new() -> Self {
        let folder = Folder::new();
        for inside in ["project", "private", "private/letters"] {
            fs::create_dir(folder.path().join(inside)).expect("a folder");
        }
        folder.write("private/letter", "dear diary");
        folder.write("private/letters/first", "dear friend");
        folder.write("project/fill.js", FILL);
        folder.write("project/use.js", USE);
        let project = Self { folder };
        project.run(&["run", "fill.js"]).exits(0);
        project.run(&["secret", "set", "orders"]).exits(0);
        project.run(&["workspace", "backup", "then.backup"]).exits(0);
        fs::copy(project.folder.path().join("project/.ghost/data.redb"), project.kept()).expect("a copy");
        project
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    fn kept(&self) -> PathBuf {
        self.path("kept")
    }

    fn entry(&self, name: &str) -> PathBuf {
        self.path("project/.ghost").join(name)
    }

    fn run(&self, words: &[&str]) -> Finished {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=1", &HANGS_AFTER.as_secs().to_string()]).arg(program::binary()).args(words);
        self.in_project(command).stdin("postgres://user:secret@host/orders").finish()
    }

    fn in_project(&self, command: Command) -> Run {
        let mut shell = Command::new("sh");
        shell.args(["-c", "cd project && exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
        self.folder.command(shell)
    }

    /// Replaces an entry. Returns false where that would not be an attack.
    fn replace(&self, name: &str, is_folder: bool, replacement: Replacement) -> bool {
        let entry = self.entry(name);
        match replacement {
            Replacement::HardLink if is_folder => return false,
            Replacement::OfAnotherUser if !entry.exists() => return false,
            Replacement::OfAnotherUser => {
                chown(&entry, Some(root::NOBODY), Some(root::NOBODY)).expect("root may give files away");
                return true;
            }
            _ => {}
        }
        match entry.is_dir() {
            true => fs::remove_dir_all(&entry).expect("it is removed"),
            false if entry.exists() => fs::remove_file(&entry).expect("it is removed"),
            false => {}
        }
        fs::create_dir_all(entry.parent().expect("it lies in a folder")).expect("a folder");
        match replacement {
            Replacement::LinkToFile => symlink(self.path("private/letter"), &entry).expect("a link"),
            Replacement::LinkToFolder => symlink(self.path("private/letters"), &entry).expect("a link"),
            Replacement::LinkToNothing => symlink(self.path("private/new"), &entry).expect("a link"),
            Replacement::HardLink => fs::hard_link(self.path("private/letter"), &entry).expect("a link"),
            Replacement::Fifo => make_node(&entry, &["p"]),
            Replacement::Device => make_node(&entry, &["c", "1", "3"]),
            Replacement::Socket => drop(UnixListener::bind(&entry).expect("a socket")),
            Replacement::Other if is_folder => fs::write(&entry, "a file").expect("a file"),
            Replacement::Other => fs::create_dir(&entry).expect("a folder"),
            Replacement::OfAnotherUser => {}
        }
        true
    }

    /// The content, modification time and mode of the private files, which ghost must not touch.
    fn private(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime, u32)> {
        let mut found = BTreeMap::new();
        walk(&self.path("private"), &mut found);
        found
    }
}

fn make_node(path: &Path, kind: &[&str]) {
    let made = Command::new("mknod").arg(path).args(kind).status().expect("mknod runs");
    assert!(made.success(), "{} can be made", path.display());
}

fn walk(path: &Path, found: &mut BTreeMap<PathBuf, (Vec<u8>, SystemTime, u32)>) {
    let metadata = fs::symlink_metadata(path).expect("it is there");
    let content = if metadata.is_file() { fs::read(path).expect("it can be read") } else { Vec::new() };
    found.insert(path.into(), (content, metadata.modified().expect("a time"), metadata.mode()));
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            walk(&entry.expect("an entry").path(), found);
        }
    }
}

/// Runs every command in a workspace with a replaced entry. Returns how many of them ghost refused.
fn attack(name: &str, is_folder: bool, replacement: Replacement) -> Option<usize> {
    let project = AttackedProject::new();
    if !project.replace(name, is_folder, replacement) {
        return None;
    }
    let before = project.private();
    let mut refused = 0;
    for words in COMMANDS {
        let finished = project.run(words);
        let what = format!("{name} is {replacement:?}, {words:?}\n{finished}");
        assert!(!matches!(finished.status.code(), None | Some(124 | 137)), "it hangs: {what}");
        assert_eq!(project.private(), before, "something private was changed: {what}");
        for text in ["panicked", "os error", "INTERNAL", "internal error"] {
            assert!(!finished.stderr.contains(text), "{text}: {what}");
        }
        if finished.status.code() != Some(0) {
            // The error names the outermost wrong entry: below a link there is nothing.
            assert!(finished.stderr.contains(&format!(".ghost/{name} ")), "it is not named: {what}");
            refused += 1;
        }
    }
    Some(refused)
}

/// Every command refuses a workspace in which any entry is replaced like this, unless it repairs the entry.
fn leads_nowhere(replacement: Replacement) {
    if !root::is_available() {
        return;
    }
    for (name, is_folder) in ENTRIES {
        let Some(refused) = attack(name, is_folder, replacement) else { continue };
        // The user's own folders and files in an index are damage, and the index is rebuilt; no command reads .gitignore.
        let is_repaired =
            replacement == Replacement::Other && (name.starts_with("index/search") || name == ".gitignore");
        assert!(is_repaired || refused > 0, "{name} may be {replacement:?}");
    }
}

#[test]
fn a_link_to_a_file_leads_nowhere() {
    leads_nowhere(Replacement::LinkToFile);
}

#[test]
fn a_link_to_a_folder_leads_nowhere() {
    leads_nowhere(Replacement::LinkToFolder);
}

#[test]
fn a_link_to_a_missing_file_leads_nowhere() {
    leads_nowhere(Replacement::LinkToNothing);
}

#[test]
fn a_hard_link_leads_nowhere() {
    leads_nowhere(Replacement::HardLink);
}

#[test]
fn a_fifo_leads_nowhere() {
    leads_nowhere(Replacement::Fifo);
}

#[test]
fn a_socket_leads_nowhere() {
    leads_nowhere(Replacement::Socket);
}

#[test]
fn a_device_leads_nowhere() {
    leads_nowhere(Replacement::Device);
}

#[test]
fn an_entry_of_another_user_is_refused() {
    leads_nowhere(Replacement::OfAnotherUser);
}

#[test]
fn an_entry_of_another_type_is_refused_or_repaired() {
    leads_nowhere(Replacement::Other);
}
