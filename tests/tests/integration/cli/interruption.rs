//! Commands that are interrupted or killed: they end soon, and leave nothing unfinished.

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use ghost_tests::{
    folder::{Finished, Folder},
    program,
};

/// How long a command may take to end, on a machine that does other things as well: less than the 5 s after which one that
/// waits for another process gives up.
const SOON: Duration = Duration::from_secs(4);
const DOCUMENTS: usize = 20_000;

/// A workspace of some size, all documents of which say the same.
fn filled(which: &str) -> Folder {
    let folder = Folder::new();
    fill(&folder, which);
    folder
}

fn fill(folder: &Folder, which: &str) {
    let text = "x".repeat(1_000);
    let line = |id| format!("{{\"id\":{id},\"is\":\"{which}\",\"text\":\"{text}\"}}\n");
    let lines: String = (0..DOCUMENTS).map(line).collect();
    folder.ghost(["store", "import", "--key", "id", "c", "-"]).stdin(lines).finish().exits(0);
}

fn workspace<const N: usize>(folder: &Folder, arguments: [&str; N]) -> Finished {
    folder.ghost(["workspace"].into_iter().chain(arguments)).finish().never_says("panicked")
}

/// The documents by their content, counted.
fn contents(folder: &Folder) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for line in folder.ghost(["store", "export"]).finish().exits(0).stdout.lines() {
        let document: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        *found.entry(document["data"]["is"].as_str().expect("it says something").to_owned()).or_default() += 1;
    }
    found
}

fn all(which: &str) -> BTreeMap<String, usize> {
    BTreeMap::from([(which.into(), DOCUMENTS)])
}

/// Files of unfinished work.
fn unfinished(folder: &Path) -> Vec<String> {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().display().to_string()).collect::<Vec<_>>()
    };
    let mut found = names(folder);
    found.extend(names(&folder.join(".ghost")));
    found.retain(|name| name.contains("unfinished") || name.contains(".new"));
    found
}

fn kills() -> u32 {
    env::var("GHOST_KILLS").map_or(20, |kills| kills.parse().expect("GHOST_KILLS is a number"))
}

/// How long an uninterrupted command takes.
fn time(folder: &Folder, arguments: &[&str]) -> Duration {
    folder.ghost(arguments.iter().copied()).finish().exits(0).time
}

/// When a command is hit: after more and more of its time, and again until it was cut off once at least. On a busy machine
/// all of the first may come too late.
struct Hits {
    takes: Duration,
    rounds: u32,
    round: u32,
    cut_off: u32,
}

impl Hits {
    fn new(takes: Duration, rounds: u32) -> Self {
        Self { takes, rounds, round: 0, cut_off: 0 }
    }

    /// How long to wait before the next; none when there were enough.
    fn wait(&mut self) -> Option<Duration> {
        assert!(self.cut_off > 0 || self.round < 20 * self.rounds, "it was through before each of {} hits", self.round);
        let round = self.round;
        self.round += 1;
        (round < self.rounds || self.cut_off == 0).then(|| self.takes * (round % self.rounds) / self.rounds)
    }

    fn saw(&mut self, was_cut_off: bool) {
        self.cut_off += u32::from(was_cut_off);
    }
}

#[test]
fn a_command_that_waits_for_another_process_ends_soon() {
    let folder = Folder::new();
    folder.ghost(["store", "put", "c", "k", "1"]).finish().exits(0);
    workspace(&folder, ["backup", "b"]).exits(0);
    folder.write("lines", "{\"id\":1}\n");
    let holds =
        "export function main() { for (let i = 0; ; i++) { g.store.put('c', 'k', i); console.log(`put ${i};`); } }";
    let mut holder = folder.script([], holds).start();
    holder.until_it_says("put 100;");
    holder.stop();
    for arguments in [
        &["workspace", "info"][..],
        &["workspace", "check"],
        &["workspace", "compact"],
        &["workspace", "backup", "other"],
        &["workspace", "restore", "--force", "b"],
        &["store", "list", "c"],
        &["store", "put", "c", "k", "2"],
        &["store", "export"],
        &["store", "import", "--key", "id", "c", "lines"],
        &["queue", "list"],
        &["queue", "enqueue", "q", "1"],
        &["queue", "watch"],
    ] {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            let waiting = folder.ghost(arguments.iter().copied()).start();
            thread::sleep(Duration::from_millis(300));
            let signalled = Instant::now();
            waiting.signal(signal);
            let finished = waiting.finish().never_says("panicked");
            assert_eq!(finished.status.code(), Some(130), "{arguments:?} {finished}");
            assert!(signalled.elapsed() < SOON, "{arguments:?} took {:?}", signalled.elapsed());
        }
    }
    holder.signal(libc::SIGKILL);
    holder.signal(libc::SIGCONT);
    holder.finish();
    assert_eq!(unfinished(folder.path()), [""; 0]);
    assert!(!folder.path().join("other").exists());
}

#[test]
fn an_export_whose_reader_does_not_read_ends_soon() {
    let folder = filled("x");
    let commands = "mkfifo pipe; exec 3<>pipe; \"$GHOST\" store export >pipe & sleep 0.5; \
                    begun=${EPOCHREALTIME/./}; kill -TERM $!; wait $!; \
                    echo $? $(( (${EPOCHREALTIME/./} - begun) / 1000 ))";
    let mut shell = Command::new("bash");
    shell.args(["-c", commands]);
    let ghost = program::binary().display().to_string();
    let finished = folder.command(shell).env("GHOST", &ghost).finish().exits(0);
    let (status, milliseconds) = finished.stdout.trim().split_once(' ').expect("two numbers");
    assert_eq!(status, "130", "{finished}");
    assert!(milliseconds.parse::<u128>().expect("a number") < SOON.as_millis(), "{finished}");
}

#[test]
fn an_import_from_an_idle_pipe_ends_soon_after_a_signal() {
    let folder = Folder::new();
    let commands = "mkfifo pipe; \"$GHOST\" store import pipe & sleep 0.5; \
                    begun=${EPOCHREALTIME/./}; kill -TERM $!; wait $!; \
                    echo $? $(( (${EPOCHREALTIME/./} - begun) / 1000 )); \
                    echo '{\"id\":1}' >pipe & \"$GHOST\" store import --key id c pipe; \"$GHOST\" store get c 1";
    let mut shell = Command::new("bash");
    shell.args(["-c", commands]);
    let ghost = program::binary().display().to_string();
    let finished = folder.command(shell).env("GHOST", &ghost).finish().exits(0);
    let (first, rest) = finished.stdout.split_once('\n').expect("lines");
    let (status, milliseconds) = first.split_once(' ').expect("two numbers");
    assert_eq!((status, rest), ("130", "{\"id\":1}\n"), "{finished}");
    assert!(milliseconds.parse::<u128>().expect("a number") < SOON.as_millis(), "{finished}");
    finished.says("interrupted; 0 documents were imported").says("1 document was imported");
}

/// Interrupts a command later and later and checks what it left, until at least one attempt hit it before its end.
fn interrupted(folder: &Folder, arguments: &[&str], look: impl Fn(&Finished)) {
    // The first may have more to do than those that follow.
    look(&folder.ghost(arguments.iter().copied()).finish().exits(0));
    let mut hits = Hits::new(time(folder, arguments), 10);
    // The first is SIGTERM: SIGINT is ignored until it is listened for where the tests run in the background.
    let mut signals = [libc::SIGTERM, libc::SIGINT].into_iter().cycle();
    while let Some(wait) = hits.wait() {
        let running = folder.ghost(arguments.iter().copied()).start();
        thread::sleep(wait);
        let signalled = Instant::now();
        running.signal(signals.next().expect("a cycle"));
        let finished = running.finish().never_says("panicked");
        assert!(signalled.elapsed() < SOON, "{arguments:?} took {:?}", signalled.elapsed());
        // One that is hit before it listens ends by the signal itself.
        assert!(matches!(finished.status.code(), Some(0 | 130) | None), "{arguments:?} {finished}");
        look(&finished);
        assert_eq!(unfinished(folder.path()), [""; 0], "{finished}");
        // One that the signal itself ended was not interrupted: it had not begun.
        hits.saw(finished.status.code() == Some(130));
    }
}

#[test]
fn an_interrupted_command_leaves_nothing_unfinished() {
    let folder = filled("old");
    workspace(&folder, ["backup", "old"]).exits(0);
    fill(&folder, "new");
    workspace(&folder, ["backup", "new"]).exits(0);
    for arguments in [&["workspace", "check"][..], &["workspace", "compact"]] {
        interrupted(&folder, arguments, |finished| {
            let is_told = finished.status.code() != Some(130) || finished.stderr.contains("interrupted;");
            assert!(is_told, "{finished}");
            assert_eq!(contents(&folder), all("new"));
        });
    }
    let whole = |file: &str| {
        let other = Folder::new();
        workspace(&other, ["restore", &folder.path().join(file).display().to_string()]).exits(0);
        assert_eq!(contents(&other), all("new"));
    };
    let backup = ["workspace", "backup", "--force", "b"];
    interrupted(&folder, &backup, |_| whole("b"));
    let restore = ["workspace", "restore", "--force", "old"];
    let old_or_new = |finished: &Finished| {
        let wanted = if finished.status.success() { ["old", "old"] } else { ["old", "new"] };
        let found = contents(&folder);
        assert!(wanted.iter().any(|which| found == all(which)), "{found:?} after {finished}");
        workspace(&folder, ["restore", "--force", "new"]).exits(0);
    };
    interrupted(&folder, &restore, old_or_new);
    let lines = |finished: &Finished| assert!(finished.stdout.is_empty() || finished.stdout.ends_with("}\n"));
    interrupted(&folder, &["store", "export"], lines);
}

#[test]
fn a_search_that_is_interrupted_says_so_and_goes_on_the_next_time() {
    let folder = Folder::new();
    let source = "export function main() {
      const text = Array.from({ length: 30 }, (_, i) => `word${i}`).join(' ');
      for (let i = 0; i < 5_000; i++) g.search.index({ _collection: 'c', _key: `k${i}`, text });
    }";
    folder.script([], source).finish().exits(0);
    let reported = |finished: &Finished| {
        let is_told = finished.status.code() != Some(130) || finished.stderr.contains("interrupted;");
        assert!(is_told && !finished.stderr.contains("another process"), "{finished}");
        let found = folder.ghost(["search", "query", "word7", "--limit", "30000", "--json"]).finish().exits(0);
        let found: Vec<serde_json::Value> = serde_json::from_str(&found.stdout).expect("JSON");
        assert_eq!(found.len(), 5_000);
    };
    interrupted(&folder, &["search", "rebuild"], reported);
}

#[test]
fn an_interrupted_restore_makes_no_workspace() {
    let source = filled("x");
    workspace(&source, ["backup", "b"]).exits(0);
    let backup = source.path().join("b").display().to_string();
    let mut hits = Hits::new(time(&Folder::new(), &["workspace", "restore", &backup]), 10);
    while let Some(wait) = hits.wait() {
        let folder = Folder::new();
        let running = folder.ghost(["workspace", "restore", &backup]).start();
        thread::sleep(wait);
        running.signal(libc::SIGTERM);
        let finished = running.finish().never_says("panicked");
        if finished.status.success() {
            assert_eq!(contents(&folder), all("x"));
        } else {
            let left = fs::read_dir(folder.path()).expect("a folder").count();
            assert_eq!(left, 0, "{finished}");
        }
        hits.saw(finished.status.code() == Some(130));
    }
}

#[test]
fn a_killed_compact_loses_nothing() {
    let folder = filled("x");
    let size = || fs::metadata(folder.path().join(".ghost/data.redb")).expect("it is there").len();
    let grow = || {
        let source = "export const main = () => { for (let i = 0; i < 5000; i++) g.store.put('rest', `${i}`, 'x'.repeat(1000)); g.store.clear('rest'); };";
        folder.script([], source).finish().exits(0);
    };
    grow();
    let mut hits = Hits::new(time(&folder, &["workspace", "compact"]), kills());
    while let Some(wait) = hits.wait() {
        grow();
        let compact = folder.ghost(["workspace", "compact"]).start();
        thread::sleep(wait);
        compact.signal(libc::SIGKILL);
        hits.saw(!compact.finish().status.success());
        assert_eq!(contents(&folder), all("x"));
        workspace(&folder, ["check"]).exits(0);
    }
    let before = size();
    workspace(&folder, ["compact"]).exits(0);
    assert!(size() <= before, "{before} bytes before, {} after", size());
}

#[test]
fn a_killed_restore_leaves_the_old_workspace_or_the_new_one() {
    let folder = filled("new");
    workspace(&folder, ["backup", "b"]).exits(0);
    fill(&folder, "old");
    workspace(&folder, ["backup", "old"]).exits(0);
    let mut hits = Hits::new(time(&folder, &["workspace", "restore", "--force", "b"]), kills());
    while let Some(wait) = hits.wait() {
        workspace(&folder, ["restore", "--force", "old"]).exits(0);
        let restore = folder.ghost(["workspace", "restore", "--force", "b"]).start();
        thread::sleep(wait);
        restore.signal(libc::SIGKILL);
        restore.finish();
        let found = contents(&folder);
        assert!(found == all("old") || found == all("new"), "{found:?}");
        hits.saw(found == all("old"));
    }
    workspace(&folder, ["check"]).exits(0);
    workspace(&folder, ["restore", "--force", "b"]).exits(0);
    assert_eq!(unfinished(folder.path()), [""; 0]);
}
