//! Documents after a script was stopped or killed, and on a full disk.

use std::{
    thread,
    time::{Duration, Instant},
};

use ghost_tests::{folder::Folder, root};

const PUT: &str = "export const main = (key = 'k') => { g.store.put('c', key, 1); };";
const COUNT: &str = "export const main = () => g.store.count('c');";

#[test]
fn what_a_failed_script_stored_stays() {
    let folder = Folder::new();
    let source = "export function main() { g.store.put('c', 'k', 1); throw new Error('on purpose'); }";
    folder.script([], source).finish().exits(1).says("on purpose");
    folder.script([], COUNT).finish().exits(0).prints("1\n");
}

/// A script that stores documents, says so, and goes on for long.
fn stores_and_goes_on(then: &str) -> String {
    format!(
        "export async function main() {{ for (let i = 0; i < 100; i++) g.store.put('c', `k${{i}}`, i); \
         console.log('stored'); {then} }}"
    )
}

#[test]
fn an_interrupted_script_ends_with_130_and_keeps_what_it_stored() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        for then in ["for (;;) {}", "await new Promise((resolve) => setTimeout(resolve, 60_000));"] {
            let folder = Folder::new();
            let mut running = folder.script([], &stores_and_goes_on(then)).start();
            running.until_it_says("stored");
            running.signal(signal);
            let finished = running.finish().exits(130).prints("").never_says("panicked");
            assert!(finished.time < Duration::from_secs(20), "{finished}");
            folder.script([], COUNT).finish().exits(0).prints("100\n");
        }
    }
}

#[test]
fn an_interrupted_script_saves_large_changes_before_it_ends() {
    for megabytes in [8, 15, 40] {
        for then in ["for (;;) {}", "await new Promise((resolve) => setTimeout(resolve, 60_000));"] {
            let folder = Folder::new();
            let source = format!(
                "export async function main() {{ const data = 'x'.repeat(1_000_000); console.log('begins'); \
                 for (let i = 0; i < {megabytes}; i++) {{ g.store.put('c', `k${{i}}`, data); console.log(`put ${{i}};`); }} \
                 {then} }}"
            );
            let mut running = folder.script([], &source).start();
            // The next console line is held back until the writes are on disk, so the signal arrives during the writes.
            running.until_it_says("begins");
            thread::sleep(Duration::from_millis(10 * megabytes / 4));
            let signalled = Instant::now();
            running.signal(libc::SIGINT);
            let finished = running.finish().exits(130).prints("").never_says("panicked").never_says("not saved");
            assert!(signalled.elapsed() < Duration::from_secs(10), "{finished}");
            let reported = finished.stderr.matches("put ").count();
            let check = "export const main = () => { const n = g.store.count('c'); for (let i = 0; i < n; i++) if (g.store.get('c', `k${i}`)?.data.length !== 1_000_000) return -1; return n; };";
            let counted = folder.script([], check).finish().exits(0);
            let kept: usize = counted.stdout.trim().parse().expect("a number");
            assert!(kept >= reported, "{reported} were reported, {kept} are there\n{finished}");
        }
    }
}

#[test]
fn a_killed_script_loses_no_reported_write() {
    let folder = Folder::new();
    let source = "export function main() { for (let i = 0; ; i++) { g.store.put('c', `k${i}`, i); console.log(`stored ${i};`); } }";
    let mut running = folder.script([], source).start();
    running.until_it_says("stored 2000;");
    running.signal(libc::SIGKILL);
    let finished = running.finish();
    assert_eq!(finished.status.code(), None, "it was killed");
    let reported = finished.stderr.matches(';').count();
    let check = "export const main = () => { const n = g.store.count('c'); for (let i = 0; i < n; i++) if (g.store.get('c', `k${i}`)?.data !== i) return -1; return n; };";
    let counted = folder.script([], check).finish().exits(0).never_says("repair");
    let kept: usize = counted.stdout.trim().parse().expect("a number");
    assert!(kept >= reported, "{reported} were reported, {kept} are there");
}

#[test]
fn a_script_that_logs_every_document_pays_no_commit_for_each() {
    let source = "export function main() { for (let i = 0; i < 10_000; i++) { g.store.put('c', `k${i}`, { i }); console.log(`stored ${i}`); } }";
    let finished = Folder::new().script(["--verbose"], source).finish().exits(0).says("stored 9999");
    let figures = finished.stderr.lines().last().expect("the figures are printed");
    let commits = figures.rsplit(", ").next().and_then(|commits| commits.strip_suffix(" commits"));
    let commits: u128 = commits.expect("the last figure").replace(',', "").parse().expect("a number");
    let allowed = finished.time.as_millis() / 50 + 3;
    assert!((1..=allowed).contains(&commits), "{commits} commits in {:?}", finished.time);
    let lines: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("stored ")).collect();
    assert_eq!(lines.len(), 10_000);
    assert!(lines.iter().enumerate().all(|(index, line)| *line == format!("stored {index}")), "in order");
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing_that_was_saved() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("put.js", PUT);
    folder.write("count.js", COUNT);
    folder.write(
        "fill.js",
        "export async function main() { for (let i = 0; i < 1000; i++) { try { g.store.put('c', `fill${i}`, 'x'.repeat(100_000)); } catch { console.log('was caught'); } \
         if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 60)); } }",
    );
    let commands = "$GHOST run ../put.js; echo $?; $GHOST run ../fill.js; echo $?; $GHOST run ../count.js >/dev/null; echo $?; \
                    $GHOST run ../count.js";
    let finished =
        root::with_small_disk(&folder, "8m", commands).finish().never_says("panicked").never_says("was caught");
    let lines: Vec<_> = finished.stdout.lines().collect();
    assert_eq!(lines[..2], ["0", "1"], "{finished}");
    assert_eq!(lines[2], "0", "the workspace serves the next run\n{finished}");
    let counted: u32 = lines[3].parse().expect("a number");
    assert!((1..1000).contains(&counted), "{finished}");
    finished.says("not saved");
}

#[test]
fn a_run_that_lost_something_ends_at_once_although_it_calls_nothing_more() {
    if !root::is_available() {
        return;
    }
    for then in ["await new Promise((resolve) => setTimeout(resolve, 60_000));", "for (;;) {}"] {
        let folder = Folder::new();
        let put = "g.store.put('c', 'k', 'x'.repeat(4_000_000));";
        folder.write("put.js", format!("export async function main() {{ {put} {then} }}"));
        let finished = root::with_small_disk(&folder, "2m", "$GHOST run ../put.js").finish().exits(1);
        assert!(finished.time < Duration::from_secs(20), "{finished}");
        finished.says("1 of the script's calls was not saved");
    }
}

#[test]
fn a_disk_that_is_full_from_the_start_is_an_error() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("put.js", PUT);
    let commands = "head -c 2000000 /dev/zero >filler 2>/dev/null; $GHOST run ../put.js; exit $?";
    root::with_small_disk(&folder, "64k", commands).finish().fails_clearly(1).says("the disk is full");
}

/// A script that fills the disk, and reports each stored document.
fn fills(call: &str) -> String {
    format!(
        "export async function main() {{ for (let i = 0; i < 1000; i++) {{ {call}; console.log(`stored ${{i}};`); \
         if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 60)); }} }}"
    )
}

#[test]
fn a_workspace_on_a_full_disk_can_be_read_and_written_again_when_there_is_space() {
    if !root::is_available() {
        return;
    }
    let calls = [
        ("g.store.put('c', `k${i}`, 'x'.repeat(5000))", "g.store.count('c')"),
        ("g.queue.enqueue('c', 'x'.repeat(5000))", "g.queue.count('c')"),
    ];
    for (call, count) in calls {
        let folder = Folder::new();
        folder.write("fill.js", fills(call));
        folder.write("count.js", format!("export const main = () => {count};"));
        folder.write("one.js", format!("export const main = () => {{ const i = 'one'; {call}; }};"));
        let commands = "head -c 300k /dev/zero >filler; $GHOST run ../fill.js; echo $?; $GHOST run ../count.js; \
                        rm filler; $GHOST run ../one.js; echo $?; $GHOST run ../count.js; $GHOST workspace check";
        let finished = root::with_small_disk(&folder, "2m", commands).finish().exits(0).never_says("panicked");
        let lines: Vec<_> = finished.stdout.lines().collect();
        let reported = finished.stderr.matches("stored ").count();
        assert!(reported > 0, "{finished}");
        let kept: usize = lines[1].parse().expect("a number");
        assert!(kept >= reported, "{reported} were reported, {kept} are there\n{finished}");
        let more = (kept + 1).to_string();
        assert_eq!(lines, ["1", lines[1], "0", &more, "the workspace has no problems"], "{finished}");
        finished.says("the disk is full").says("of the script's calls");
    }
}

#[test]
fn commands_on_a_full_disk_leave_nothing_unfinished() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    let line = |id| format!("{{\"id\":{id},\"text\":\"{}\"}}\n", "x".repeat(5_000));
    // Not the document that is there already: some may be on disk before the disk is full.
    folder.write("lines", (1..=1_000).map(line).collect::<String>());
    std::fs::create_dir(folder.path().join("source")).expect("a folder");
    let commands = "$GHOST store import --workspace ../source --key id c ../lines || exit 9; \
                    $GHOST workspace backup --workspace ../source b; echo $?; ls -A; \
                    $GHOST store put c 0 1; $GHOST workspace restore --force ../source/.ghost/data.redb; echo $?; \
                    ls -A .ghost; $GHOST store get c 0; \
                    $GHOST store import --key id c ../lines; echo $?; $GHOST store get c 0; $GHOST workspace check";
    let finished = root::with_small_disk(&folder, "2m", commands).finish().exits(0).never_says("panicked");
    let left = ".gitignore\ndata.redb\nlock\nwaiting\n";
    let wanted = format!("1\n1\n{left}1\n1\n1\nthe workspace has no problems\n");
    assert_eq!(finished.stdout, wanted, "{finished}");
    finished
        .says("error: b can't be written: the disk is full")
        .says("can't be restored: the disk is full")
        .says("the workspace failed: the disk is full");
}

#[test]
fn an_import_that_fills_the_disk_reports_how_many_documents_it_stored() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    // Slowly: each is on disk before the next comes.
    let line = |id| format!("{{\"id\":{id},\"text\":\"{}\"}}\n", "x".repeat(150_000));
    folder.write("lines", (0..20).map(line).collect::<String>());
    let commands = "while read -r line; do echo \"$line\"; sleep 0.2; done <../lines \
                    | $GHOST store import --key id c -; $GHOST store export | wc -l";
    let finished = root::with_small_disk(&folder, "2m", commands).finish().exits(0).never_says("panicked");
    let stored: usize = finished.stdout.lines().last().and_then(|line| line.trim().parse().ok()).expect("a count");
    assert!((1..20).contains(&stored), "{finished}");
    let were = if stored == 1 { "document was" } else { "documents were" };
    finished.says("the disk is full: ").says(&format!(" not saved; {stored} {were} imported"));
}

#[test]
fn an_index_that_fills_the_disk_says_so_and_returns_its_space() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "fill.js",
        "export const main = () => { for (let i = 0; i < 1500; i++) \
         g.store.put('c', `k${i}`, Array.from({ length: 60 }, (_, n) => `w${i}x${n}`).join(' ')); };",
    );
    folder.write("search.js", "export const main = () => g.store.search('c', 'w5x5').length;");
    let commands = "$GHOST run ../fill.js || exit 9; head -c 20m /dev/zero >filler 2>/dev/null; truncate -s -1000k filler; \
                    $GHOST run ../search.js; echo $?; du -sk .ghost/index | cut -f1; rm filler; $GHOST run ../search.js";
    let finished = root::with_small_disk(&folder, "12m", commands).finish().exits(0).never_says("internal error");
    let lines: Vec<_> = finished.stdout.lines().collect();
    assert_eq!((lines[0], lines[2]), ("1", "1"), "{finished}");
    assert!(lines[1].parse::<u32>().expect("a size") <= 20, "{finished}");
    finished.says("the search index failed: the disk is full");
}
