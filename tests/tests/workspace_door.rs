//! A workspace that somebody else has laid out: with links, FIFOs, devices, files of others in it. What they lead to stays as
//! it is, no command hangs, and the error names the entry.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown, symlink},
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

/// Longer than any command here takes, and shorter than forever.
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

/// What every user may do with a workspace.
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

/// The entries of a workspace that ghost opens or makes, and whether they are folders.
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

/// What lies in the place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Laid {
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

const LAID: [Laid; 9] = [
    Laid::LinkToFile,
    Laid::LinkToFolder,
    Laid::LinkToNothing,
    Laid::HardLink,
    Laid::Fifo,
    Laid::Socket,
    Laid::Device,
    Laid::OfAnotherUser,
    Laid::Other,
];

/// A user's project with a workspace in it, beside what is nobody's business.
struct Attacked {
    folder: Folder,
}

impl Attacked {
    fn new() -> Self {
        let folder = Folder::new();
        for inside in ["project", "private", "private/letters"] {
            fs::create_dir(folder.path().join(inside)).expect("a folder");
        }
        folder.write("private/letter", "dear diary");
        folder.write("private/letters/first", "dear friend");
        folder.write("project/fill.js", FILL);
        folder.write("project/use.js", USE);
        let attacked = Self { folder };
        attacked.run(&["run", "fill.js"]).exits(0);
        attacked.run(&["secret", "set", "orders"]).exits(0);
        attacked.run(&["workspace", "backup", "then.backup"]).exits(0);
        fs::copy(attacked.folder.path().join("project/.ghost/data.redb"), attacked.kept()).expect("a copy");
        attacked
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

    /// Puts something in the place of an entry. False where that would be no attack.
    fn lay(&self, name: &str, is_folder: bool, laid: Laid) -> bool {
        let entry = self.entry(name);
        match laid {
            Laid::HardLink if is_folder => return false,
            Laid::OfAnotherUser if !entry.exists() => return false,
            Laid::OfAnotherUser => {
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
        match laid {
            Laid::LinkToFile => symlink(self.path("private/letter"), &entry).expect("a link"),
            Laid::LinkToFolder => symlink(self.path("private/letters"), &entry).expect("a link"),
            Laid::LinkToNothing => symlink(self.path("private/new"), &entry).expect("a link"),
            Laid::HardLink => fs::hard_link(self.path("private/letter"), &entry).expect("a link"),
            Laid::Fifo => make_node(&entry, &["p"]),
            Laid::Device => make_node(&entry, &["c", "1", "3"]),
            Laid::Socket => drop(UnixListener::bind(&entry).expect("a socket")),
            Laid::Other if is_folder => fs::write(&entry, "a file").expect("a file"),
            Laid::Other => fs::create_dir(&entry).expect("a folder"),
            Laid::OfAnotherUser => {}
        }
        true
    }

    /// All that is the user's and has nothing to do with ghost: what it holds, and when it was changed.
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

/// Every command in a workspace with something laid in the place of an entry: how many were refused for it.
fn attack(name: &str, is_folder: bool, laid: Laid) -> Option<usize> {
    let attacked = Attacked::new();
    if !attacked.lay(name, is_folder, laid) {
        return None;
    }
    let before = attacked.private();
    let mut refused = 0;
    for words in COMMANDS {
        let finished = attacked.run(words);
        let what = format!("{name} is {laid:?}, {words:?}\n{finished}");
        assert!(!matches!(finished.status.code(), None | Some(124 | 137)), "it hangs: {what}");
        assert_eq!(attacked.private(), before, "something private was changed: {what}");
        for said in ["panicked", "os error", "INTERNAL", "internal error"] {
            assert!(!finished.stderr.contains(said), "{said}: {what}");
        }
        if finished.status.code() != Some(0) {
            // The outermost entry that is wrong is told: below a link there is nothing.
            assert!(finished.stderr.contains(&format!(".ghost/{name} ")), "it is not named: {what}");
            refused += 1;
        }
    }
    Some(refused)
}

#[test]
fn nothing_in_a_workspace_leads_out_of_it() {
    if !root::is_available() {
        return;
    }
    let mut attacks = 0;
    for (name, is_folder) in ENTRIES {
        for laid in LAID {
            let Some(refused) = attack(name, is_folder, laid) else { continue };
            attacks += COMMANDS.len();
            // The user's own folders and files in an index are damage, and it is made again; nobody reads the .gitignore.
            let heals = laid == Laid::Other && (name.starts_with("index/search") || name == ".gitignore");
            assert!(heals || refused > 0, "{name} may be {laid:?}");
        }
    }
    eprintln!("{attacks} attacks");
}

#[test]
fn a_read_only_command_empties_no_file_behind_a_link() {
    let attacked = Attacked::new();
    for name in ["lock", "waiting", "notify", "data.redb"] {
        assert!(attacked.lay(name, false, Laid::LinkToFile));
        let refused = attacked.run(&["store", "list", "notes"]);
        assert_eq!(
            fs::read_to_string(attacked.path("private/letter")).expect("it is there"),
            "dear diary",
            "{refused}"
        );
        refused.exits(2).says(&format!(".ghost/{name} is a link"));
        fs::remove_file(attacked.entry(name)).expect("the link");
        fs::copy(attacked.kept(), attacked.entry("data.redb")).expect("a copy");
    }
    attacked.run(&["store", "list", "notes"]).exits(0);
}

#[test]
fn a_prepared_folder_does_not_become_the_workspace() {
    let folder = Folder::new();
    let prepared = folder.path().join(".ghost.new");
    fs::create_dir(&prepared).expect("a folder");
    fs::set_permissions(&prepared, fs::Permissions::from_mode(0o777)).expect("a mode");
    folder.write("letter", "dear diary");
    symlink(folder.path().join("letter"), prepared.join("data.redb")).expect("a link");
    symlink(folder.path().join("letter"), prepared.join("lock")).expect("a link");
    folder.script([], "export const main = () => g.store.put('c', 'k', 1);").finish().exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("letter")).expect("a letter"), "dear diary");
    assert!(prepared.join("data.redb").is_symlink(), "it is as it was");
    assert_eq!(fs::metadata(folder.path().join(".ghost")).expect("a workspace").mode() & 0o777, 0o700);
}

/// The modes of all that lies in a workspace.
fn modes(path: &Path, found: &mut Vec<(PathBuf, u32)>) {
    let metadata = fs::symlink_metadata(path).expect("it is there");
    found.push((path.into(), metadata.mode() & 0o777));
    if metadata.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            modes(&entry.expect("an entry").path(), found);
        }
    }
}

#[test]
fn a_workspace_is_for_its_user_alone() {
    let attacked = Attacked::new();
    let mut found = Vec::new();
    modes(&attacked.entry(""), &mut found);
    for (path, mode) in &found {
        let allowed = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(*mode, allowed, "{}", path.display());
    }
    assert!(found.len() > 10, "{found:?}");
    // One of an older version.
    for (path, _) in &found {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
    attacked.run(&["run", "use.js"]).exits(0);
    for name in ["", "lock", "waiting", "data.redb", "notify", "index", "index/search", "index/search/mark"] {
        let mode = fs::metadata(attacked.entry(name)).expect("it is there").mode();
        assert_eq!(mode & 0o077, 0, "{name} has mode {mode:o}");
    }
    attacked.run(&["secret", "set", "orders"]).exits(0);
    assert_eq!(fs::metadata(attacked.entry("secrets")).expect("it is there").mode() & 0o777, 0o700);
}

#[test]
fn a_workspace_that_is_a_link_is_used_only_where_it_is_named() {
    let attacked = Attacked::new();
    fs::rename(attacked.entry(""), attacked.path("elsewhere")).expect("it is moved");
    symlink(attacked.path("elsewhere"), attacked.path("project/.ghost")).expect("a link");
    let before = attacked.private();
    for words in COMMANDS {
        let finished = attacked.run(words);
        assert_ne!(finished.status.code(), Some(0), "{words:?}");
        finished.says("a link");
    }
    assert_eq!(attacked.private(), before);
    attacked.run(&["store", "list", "notes", "--workspace", "."]).exits(0).says("");
}

#[test]
fn a_link_to_nothing_makes_no_workspace_behind_it() {
    let attacked = Attacked::new();
    fs::rename(attacked.entry(""), attacked.path("elsewhere")).expect("it is moved");
    symlink(attacked.path("private/new"), attacked.path("project/.ghost")).expect("a link");
    for words in [&["run", "use.js"][..], &["init"], &["secret", "set", "a"], &["run", "--workspace", ".", "use.js"]] {
        assert_ne!(attacked.run(words).status.code(), Some(0), "{words:?}");
        assert!(!attacked.path("private/new").exists(), "{words:?}");
    }
}

#[test]
fn the_key_of_the_secrets_is_the_users_own_file() {
    if !root::is_available() {
        return;
    }
    for laid in LAID {
        let attacked = Attacked::new();
        let key = attacked.folder.path().join(".config/ghost/key");
        let whole = fs::read(&key).expect("a key");
        attacked.folder.write("private/key", &whole);
        fs::set_permissions(attacked.path("private/key"), fs::Permissions::from_mode(0o600)).expect("a mode");
        if laid != Laid::OfAnotherUser {
            fs::remove_file(&key).expect("it is removed");
        }
        match laid {
            Laid::LinkToFile => symlink(attacked.path("private/key"), &key).expect("a link"),
            Laid::LinkToFolder => symlink(attacked.path("private/letters"), &key).expect("a link"),
            Laid::LinkToNothing => symlink(attacked.path("private/new"), &key).expect("a link"),
            Laid::HardLink => fs::hard_link(attacked.path("private/key"), &key).expect("a link"),
            Laid::Fifo => make_node(&key, &["p"]),
            Laid::Device => make_node(&key, &["c", "1", "5"]),
            Laid::Socket => drop(UnixListener::bind(&key).expect("a socket")),
            Laid::Other => fs::create_dir(&key).expect("a folder"),
            Laid::OfAnotherUser => chown(&key, Some(root::NOBODY), None).expect("root may give files away"),
        }
        let before = attacked.private();
        for words in [&["secret", "check", "orders"][..], &["secret", "set", "other"]] {
            let finished = attacked.run(words);
            assert!(!matches!(finished.status.code(), None | Some(0 | 124 | 137)), "{laid:?} {words:?} {finished}");
            finished.says("ghost/key").never_says("panicked").never_says("AGE-SECRET");
        }
        assert_eq!(attacked.private(), before, "{laid:?}");
    }
}

#[test]
fn init_writes_through_no_link() {
    let folder = Folder::new();
    for (name, target) in [("g.d.ts", "letter"), ("jsconfig.json", "letter"), ("jsconfig.json", "new")] {
        let path = folder.path().join(name);
        folder.write("letter", "dear diary");
        symlink(folder.path().join(target), &path).expect("a link");
        let finished = folder.ghost(["init"]).finish();
        assert_eq!(fs::read_to_string(folder.path().join("letter")).expect("a letter"), "dear diary", "{finished}");
        assert!(!folder.path().join("new").exists());
        assert!(path.is_symlink(), "it is as it was");
        fs::remove_file(path).expect("the link");
    }
    let hard = folder.path().join("g.d.ts");
    let _none_yet = fs::remove_file(&hard);
    fs::hard_link(folder.path().join("letter"), &hard).expect("a link");
    folder.ghost(["init"]).finish().exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("letter")).expect("a letter"), "dear diary");
}

/// It goes by way of a file, which other users could read as long as a reader takes its time.
#[test]
fn a_backup_that_is_printed_lies_where_nobody_else_can_read_it() {
    let attacked = Attacked::new();
    fs::create_dir(attacked.path("temporary")).expect("a folder");
    let mut shell = Command::new("sh");
    // The rest of it does not fit into the pipe.
    shell.args([
        "-c",
        "cd project; \"$GHOST\" workspace backup - | { head -c 1 >&2; stat -c %a \"$TMPDIR\"/.tmp*; cat >/dev/null; }",
    ]);
    let temporary = attacked.path("temporary").display().to_string();
    let ghost = program::binary().display().to_string();
    let finished = attacked.folder.command(shell).env("TMPDIR", &temporary).env("GHOST", &ghost).finish();
    finished.exits(0).prints("700\n");
    assert_eq!(fs::read_dir(temporary).expect("a folder").count(), 0);
}

/// The folder is swapped for a link and back while commands open it.
#[test]
fn a_workspace_that_is_swapped_while_it_is_opened_leads_nowhere() {
    let attacked = Attacked::new();
    let trap = attacked.path("trap");
    fs::create_dir(&trap).expect("a folder");
    for name in ["lock", "waiting", "notify", "data.redb", "data.redb.new"] {
        symlink(attacked.path("private/letter"), trap.join(name)).expect("a link");
    }
    for name in ["index", "secrets"] {
        symlink(attacked.path("private/letters"), trap.join(name)).expect("a link");
    }
    let swap = "while :; do mv project/.ghost real; mv trap project/.ghost; mv project/.ghost trap; \
                ln -s ../private project/.ghost; rm project/.ghost; mv real project/.ghost; done";
    let mut shell = Command::new("sh");
    shell.args(["-c", swap]);
    let swapping = attacked.folder.command(shell).start();
    let before = attacked.private();
    for _ in 0..20 {
        for words in [COMMANDS[0], COMMANDS[1], COMMANDS[13]] {
            let finished = attacked.run(words);
            assert!(!matches!(finished.status.code(), None | Some(124 | 137)), "it hangs: {finished}");
            assert_eq!(attacked.private(), before, "{finished}");
        }
    }
    swapping.signal(9);
    swapping.finish();
}
