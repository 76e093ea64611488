//! Search across processes, kills, and indexes that are damaged or gone: nothing is lost, nothing stale is found.
//!
//! `GHOST_KILLS` says how many processes are killed, `GHOST_SEED` repeats a run.

use std::{
    env, fs,
    io::{Write, stderr},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use ghost::{
    Host, Origin, RunOptions, Script,
    workspace::{Create, Workspace},
};
use ghost_tests::{
    folder::{Finished, Folder, Run, Running},
    own_process,
};
use serde_json::Value;

/// Steps that depend on nothing but the seed and their number, so that the state after any of them is known. Each is one call,
/// of `g.search` or of `g.store`; a document has a word of its own for each time that it is stored.
const STEPS: &str = r"
function step(seed, i) {
  let h = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = (h ^ (h >>> 13)) >>> 0;
  const kind = (h >>> 8) % 100;
  return {
    where: i % 2 ? 'store' : 'search',
    key: `k${h % 40}`,
    what: kind < 75 ? 'put' : kind < 98 ? 'delete' : 'clear',
    asks: (h >>> 16) % 6 === 0,
  };
}

function follow(state, seed, i) {
  const { where, key, what } = step(seed, i);
  if (what === 'put') state[where].set(key, i);
  else if (what === 'delete') state[where].delete(key);
  else state[where].clear();
}

function stateAfter(seed, steps) {
  const state = { search: new Map(), store: new Map() };
  for (let i = 0; i < steps; i++) follow(state, seed, i);
  return state;
}

function take(seed, i) {
  const { where, key, what } = step(seed, i);
  const text = `v${i} tea`;
  if (where === 'search') {
    if (what === 'put') g.search.index({ _collection: 'c', _key: key, text });
    else if (what === 'delete') g.search.delete('c', key);
    else g.search.clear();
  } else if (what === 'put') g.store.put('c', key, { text });
  else if (what === 'delete') g.store.delete('c', key);
  else g.store.clear('c');
}

const shown = (entries) => [...entries].map((entry) => entry.join('=')).sort().join(' ');
const found = {
  search: (query) => g.search.query(query, { limit: 1000 }).map(({ key, fields }) => [key, fields.text]),
  store: (query) => g.store.search('c', query, { limit: 1000 }).map(({ key, data }) => [key, data.text]),
};

/// Fails unless the index finds all documents, each with its last word, and nothing by the words that are gone.
function compare(state, oldest, next) {
  for (const where of ['search', 'store']) {
    const expected = [...state[where]].map(([key, i]) => [key, `v${i} tea`]);
    const [has, wants] = [shown(found[where]('tea')), shown(expected)];
    if (has !== wants) throw new Error(`${where} finds ${has}, not ${wants}`);
    const byWord = new Map(expected.map(([key, text]) => [text.split(' ')[0], key]));
    for (let i = oldest; i < next; i++) {
      const keys = found[where](`v${i}`).map(([key]) => key).join(' ');
      if (keys !== (byWord.get(`v${i}`) ?? '')) throw new Error(`${where} finds ${keys} by v${i}`);
    }
  }
}
";

/// Makes steps forever, starting with a given one, and prints each.
const WRITER: &str = "
export function main(seed, from) {
  const [s, state] = [Number(seed), stateAfter(Number(seed), Number(from))];
  compare(state, Number(from), Number(from));
  for (let i = Number(from); ; i++) {
    take(s, i);
    follow(state, s, i);
    if (step(s, i).asks) compare(state, i - 2, i + 1);
    console.log(`did ${i};`);
  }
}";

/// The number of steps that left what is there, at least as many as were reported; what the indexes find is compared with it.
const CHECK: &str = "
export function main(seed, reported) {
  const [s, first] = [Number(seed), Number(reported)];
  const texts = (documents) => shown(documents.map(([key, text]) => [key, text.split(' ')[0]]));
  const there = {
    search: texts(found.search('*:*')),
    store: texts(g.store.list('c', { limit: 1000 }).map(({ key, data }) => [key, data.text])),
  };
  const state = stateAfter(s, first);
  for (let n = first; n < first + 100_000; n++) {
    const expected = ['search', 'store'].map((where) => shown([...state[where]].map(([key, i]) => [key, `v${i}`])));
    if (expected[0] === there.search && expected[1] === there.store) {
      compare(state, Math.max(0, n - 150), n + 50);
      return n;
    }
    follow(state, s, n);
  }
  throw new Error(`what is there was never there after ${reported} steps: ${there.search} | ${there.store}`);
}";

/// The choices of a test: those of `GHOST_SEED`, or new ones.
fn choices() -> (Rng, u64) {
    let seed = env::var("GHOST_SEED").map_or_else(|_| fastrand::u64(..1 << 31), |seed| seed.parse().expect("a number"));
    say(&format!("GHOST_SEED={seed}"));
    (Rng::with_seed(seed), seed)
}

/// Prints directly to standard error: the harness shows the output of a test only when it fails.
fn say(text: &str) {
    writeln!(stderr(), "{text}").expect("standard error can be written");
}

fn with_scripts() -> Folder {
    let folder = Folder::new();
    folder.write("writer.js", format!("{STEPS}{WRITER}"));
    folder.write("check.js", format!("{STEPS}{CHECK}"));
    folder.ghost(["init"]).finish().exits(0);
    folder
}

/// Runs a script with a seed and a number of steps.
fn run(folder: &Folder, script: &str, seed: u64, steps: u64) -> Run {
    folder.ghost(["run", script, &seed.to_string(), &steps.to_string()])
}

/// Returns the number of steps that were saved, which must be at least the reported number.
fn check(folder: &Folder, seed: u64, reported: u64) -> u64 {
    let finished = run(folder, "check.js", seed, reported).finish().exits(0).never_says("panicked");
    finished.stdout.trim().parse().expect("a number of steps")
}

/// The step after the last one that a writer reported.
fn reported(finished: &Finished, from: u64) -> u64 {
    // The last line may be cut off by the kill.
    let lines = finished.stderr.split("did ").skip(1).filter_map(|line| line.split_once(';'));
    lines.last().map_or(from, |(step, _)| step.parse::<u64>().expect("a step") + 1)
}

/// The steps that a writer makes before it may be killed, where what they leave is what matters: with fewer, there may be no
/// index.
const STEPS_BEFORE_KILL: u64 = 20;

/// Changes a workspace with some steps at least, until it is killed at a moment after them. Returns the number of steps that a
/// writer reported.
fn steps_until_kill(folder: &Folder, seed: u64, from: u64, after: Duration) -> u64 {
    let mut writer = run(folder, "writer.js", seed, from).start();
    writer.until_it_says(&format!("did {};", from + STEPS_BEFORE_KILL - 1));
    killed(writer, from, after)
}

/// The same, checked.
fn write_some_and_kill(folder: &Folder, seed: u64, from: u64, after: Duration) -> u64 {
    let reported = steps_until_kill(folder, seed, from, after);
    assert!(reported >= from + STEPS_BEFORE_KILL, "{reported} after {from}");
    check(folder, seed, reported)
}

/// Changes a workspace until it is killed at any moment. Returns the number of steps that are there.
fn write_and_kill(folder: &Folder, seed: u64, from: u64, after: Duration) -> u64 {
    let writer = run(folder, "writer.js", seed, from).start();
    check(folder, seed, killed(writer, from, after))
}

fn killed(writer: Running, from: u64, after: Duration) -> u64 {
    thread::sleep(after);
    writer.signal(libc::SIGKILL);
    let finished = writer.finish().never_says("panicked");
    assert_eq!(finished.status.code(), None, "it ended by itself: {finished}");
    reported(&finished, from)
}

#[test]
fn a_process_that_is_killed_loses_nothing_and_leaves_nothing_stale() {
    let kills: u64 = env::var("GHOST_KILLS").map_or(20, |kills| kills.parse().expect("GHOST_KILLS is a number"));
    let (mut rng, seed) = choices();
    let (folder, mut steps) = (with_scripts(), 0);
    for kill in 0..kills {
        steps = write_and_kill(&folder, seed, steps, Duration::from_millis(rng.u64(20..400)));
        if kill % 10 == 9 {
            folder.ghost(["workspace", "check"]).finish().exits(0);
        }
    }
    say(&format!("{kills} kills, {steps} steps"));
    assert!(steps > kills, "only {steps} steps were ever made");
}

/// Every file of both indexes.
fn files_of(folder: &Folder) -> Vec<PathBuf> {
    let index = folder.path().join(".ghost/index");
    let folders = fs::read_dir(&index).expect("there are indexes").map(|entry| entry.expect("an entry").path());
    let inside = |folder: PathBuf| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        folders.filter(|path| path.is_dir()).flat_map(inside).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Ways to damage a file.
fn damage(file: &Path, how: u64, at: usize) {
    let mut bytes = fs::read(file).expect("a file of an index");
    let at = at % bytes.len().max(1);
    match how {
        0 => bytes.truncate(at),
        1 => bytes.iter_mut().for_each(|byte| *byte = 0),
        2 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x20),
        3 => bytes.clear(),
        _ => return fs::remove_file(file).expect("a file can be removed"),
    }
    fs::write(file, bytes).expect("a file can be written");
}

#[test]
fn an_index_with_damaged_files_is_rebuilt() {
    let (mut rng, seed) = choices();
    let folder = with_scripts();
    let mut steps = write_some_and_kill(&folder, seed, 0, Duration::from_millis(100));
    for round in 0..25 {
        let files = files_of(&folder);
        let file = &files[rng.usize(..files.len())];
        say(&format!("{round}: damages {}", file.display()));
        damage(file, round % 5, rng.usize(..1 << 20));
        assert_eq!(check(&folder, seed, steps), steps, "round {round}");
        // The files of an index that a killed process leaves are verified, not compared with recorded ones.
        if round % 4 == 3 {
            steps = write_some_and_kill(&folder, seed, steps, Duration::from_millis(20));
        }
    }
}

/// Changes bytes of the files of an index that end with one of these, but neither their size nor their times.
fn damage_unseen(folder: &Folder, endings: &[&str]) {
    for file in files_of(folder) {
        if endings.iter().any(|ending| file.to_string_lossy().ends_with(ending)) {
            let changed = fs::metadata(&file).and_then(|file| file.modified()).expect("a time");
            let mut bytes = fs::read(&file).expect("a file of an index");
            let content = bytes.len() / 2;
            bytes[..content].iter_mut().for_each(|byte| *byte ^= 0xff);
            fs::write(&file, bytes).expect("a file can be written");
            let file = fs::File::options().write(true).open(&file).expect("a file of an index");
            file.set_modified(changed).expect("a time can be set");
        }
    }
}

/// A workspace in which both indexes contain some documents.
fn with_indexes() -> Folder {
    let folder = Folder::new();
    let source = "export function main() { for (let i = 0; i < 50; i++) { \
                  g.search.index({ _collection: 'c', _key: `k${i}`, text: `tea v${i}` }); \
                  g.store.put('c', `k${i}`, { text: `tea v${i}` }); } \
                  return [g.search.query('tea').length, g.store.search('c', 'tea').length]; }";
    folder.script([], source).finish().exits(0).prints("[50,50]\n");
    folder
}

#[test]
fn an_index_that_can_not_be_read_during_a_search_is_rebuilt() {
    let query = "export const main = () => [g.search.query('tea').length, g.store.search('c', 'tea').length];";
    let folder = with_indexes();
    damage_unseen(&folder, &[".store"]);
    folder.script([], query).finish().exits(0).prints("[50,50]\n");
    folder.ghost(["workspace", "check"]).finish().exits(0);
}

#[test]
fn the_check_finds_a_damaged_index_and_the_command_that_it_names_rebuilds_it() {
    let folder = with_indexes();
    folder.ghost(["workspace", "check"]).finish().exits(0);
    damage_unseen(&folder, &[".idx"]);
    let checked = folder.ghost(["workspace", "check"]).finish().exits(1);
    checked
        .says("the index of g.search is damaged; to rebuild it: ghost search rebuild")
        .says("the index of g.store.search is damaged")
        .never_says("ghost workspace restore");
    folder.ghost(["search", "rebuild"]).finish().exits(0);
    folder.ghost(["workspace", "check"]).finish().exits(0);
}

#[test]
fn an_index_damaged_after_a_kill_is_rebuilt() {
    let (mut rng, seed) = choices();
    let (folder, mut steps) = (with_scripts(), 0);
    for round in 0..10 {
        let reported = steps_until_kill(&folder, seed, steps, Duration::from_millis(rng.u64(..200)));
        let files = files_of(&folder);
        assert!(!files.is_empty(), "round {round}: there is no index to damage");
        let file = &files[rng.usize(..files.len())];
        damage(file, round % 5, rng.usize(..1 << 20));
        steps = check(&folder, seed, reported);
    }
}

#[test]
fn a_deleted_index_is_rebuilt() {
    let (folder, (_, seed)) = (with_scripts(), choices());
    let steps = write_some_and_kill(&folder, seed, 0, Duration::from_millis(100));
    let index = folder.path().join(".ghost/index");
    fs::remove_dir_all(&index).expect("there is an index");
    assert_eq!(check(&folder, seed, steps), steps);
    fs::remove_dir_all(index.join("search")).expect("there is an index");
    assert_eq!(check(&folder, seed, steps), steps);
    // Something else in its place.
    fs::remove_dir_all(index.join("store")).expect("there is an index");
    fs::write(index.join("store"), "no folder").expect("a file can be written");
    assert_eq!(check(&folder, seed, steps), steps);
    assert!(index.join("store").is_dir());
}

#[test]
fn an_index_from_before_a_reboot_is_rebuilt() {
    let (folder, (_, seed)) = (with_scripts(), choices());
    let steps = write_some_and_kill(&folder, seed, 0, Duration::from_millis(100));
    for index in ["search", "store"] {
        let mark = folder.path().join(".ghost/index").join(index).join("mark");
        let mut content: Value = serde_json::from_slice(&fs::read(&mark).expect("a mark")).expect("JSON");
        assert_eq!(content["synced"], false, "a small index is not worth a sync");
        content["boot"] = "another".into();
        fs::write(&mark, content.to_string()).expect("a mark can be written");
    }
    assert_eq!(check(&folder, seed, steps), steps);
}

#[test]
fn a_restored_workspace_is_searched_as_it_was() {
    let (folder, (_, seed)) = (with_scripts(), choices());
    let steps = write_some_and_kill(&folder, seed, 0, Duration::from_millis(100));
    folder.ghost(["workspace", "backup", "then.backup"]).finish().exits(0);
    write_some_and_kill(&folder, seed, steps, Duration::from_millis(100));
    folder.ghost(["workspace", "restore", "--force", "then.backup"]).finish().exits(0);
    assert_eq!(check(&folder, seed, steps), steps);
    folder.ghost(["workspace", "compact"]).finish().exits(0);
    assert_eq!(check(&folder, seed, steps), steps);
    folder.ghost(["workspace", "check"]).finish().exits(0);
}

/// Indexes and stores documents, and finds them along with those that other processes reported.
const IN_TURNS: &str = "
export function main(name, documents) {
  let before = 0;
  for (let i = 0; i < Number(documents); i++) {
    g.search.index({ _collection: 'c', _key: `${name}/${i}`, text: `${name} tea` });
    g.store.put('c', `${name}/${i}`, { text: `${name} tea` });
    for (const [what, find] of [
      ['search', (query) => g.search.query(query, { limit: 10000 })],
      ['store', (query) => g.store.search('c', query, { limit: 10000 })],
    ]) {
      const mine = find(name).length;
      if (mine !== i + 1) throw new Error(`${what}: ${name} finds ${mine} of ${i + 1}`);
    }
    const all = g.search.query('tea', { limit: 10000 }).length;
    if (all < before || all < i + 1) throw new Error(`${all} after ${before}`);
    before = all;
    if (i % 2) { g.search.delete('c', `${name}/${i}`); g.search.index({ _collection: 'c', _key: `${name}/${i}`, text: `${name} tea` }); }
  }
  return before;
}";

#[test]
fn processes_that_index_and_query_in_turns_see_each_others_documents() {
    const DOCUMENTS: &str = "40";
    let folder = Folder::new();
    folder.write("turns.js", IN_TURNS);
    folder.ghost(["init"]).finish().exits(0);
    let running: Vec<_> =
        ["one", "two", "three"].map(|name| folder.ghost(["run", "turns.js", name, DOCUMENTS]).start()).into();
    for running in running {
        running.finish().exits(0).never_says("panicked").never_says("warn");
    }
    let count = "export const main = () => [g.search.query('tea', { limit: 1000 }).length, g.store.search('c', 'tea', { limit: 1000 }).length];";
    folder.script([], count).finish().exits(0).prints("[120,120]\n");
    folder.ghost(["workspace", "check"]).finish().exits(0);
}

/// Threads and open files of indexes in this process.
fn held(folder: &Folder) -> Vec<String> {
    let index = folder.path().join(".ghost/index");
    let files =
        fs::read_dir("/proc/self/fd").expect("open files").filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    let files = files.filter(|file| file.starts_with(&index)).map(|file| file.display().to_string());
    let maps = fs::read_to_string("/proc/self/maps").expect("what is mapped");
    let mapped = maps.lines().filter(|line| line.contains(&*index.to_string_lossy())).map(str::to_owned);
    let threads = fs::read_dir("/proc/self/task").expect("threads");
    let names = threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("comm")).ok());
    let names = names.filter(|name| {
        ["thrd-tantivy", "segment_updat", "merge_thread", "ghost-index"].iter().any(|of| name.starts_with(of))
    });
    files.chain(mapped).chain(names).collect()
}

fn until_nothing_is_held(folder: &Folder) {
    let started = Instant::now();
    while !held(folder).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20), "it still holds {:?}", held(folder));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_long_lived_host_releases_the_index_and_keeps_nothing_of_it() {
    // The names of an index's threads do not show which index they belong to.
    if !own_process::is_given_to("search::recovery::a_long_lived_host_releases_the_index_and_keeps_nothing_of_it") {
        return;
    }
    let folder = Folder::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let host = Host::new().expect("a host");
    let workspace = Workspace::at(folder.path(), Create::AtFirstUse);
    let run = |source: &str| {
        let script = runtime.block_on(Script::from_source(&host, "host.js", source)).expect("it compiles");
        let options = RunOptions { workspace: Some(workspace.clone()), ..RunOptions::of(Origin::Local) };
        runtime.block_on(host.run(&script, options)).result.expect("it ends well").expect("it returns something")
    };
    for turn in 0..10 {
        let source = format!(
            "export function main() {{
               g.search.index({{ _collection: 'c', _key: 'host{turn}', text: 'tea' }});
               return g.search.query('tea').length;
             }}"
        );
        assert_eq!(run(&source), format!("{}", turn * 2 + 1));
        let source = format!(
            "export function main() {{
               g.search.index({{ _collection: 'c', _key: 'program{turn}', text: 'tea' }});
               return g.search.query('tea').length;
             }}"
        );
        folder.script([], &source).finish().exits(0).prints(&format!("{}\n", turn * 2 + 2));
    }
    assert_eq!(run("export const main = () => g.search.query('tea').length"), "20");
    assert!(!held(&folder).is_empty(), "a host that just searched holds its index");
    // After a second without a call, the host releases the workspace, and the index with it.
    until_nothing_is_held(&folder);
    assert_eq!(run("export const main = () => g.search.query('tea').length"), "20");
    drop(workspace);
    until_nothing_is_held(&folder);
}
