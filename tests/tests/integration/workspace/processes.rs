//! Several processes on one workspace: they take turns, and nothing of any of them is lost.

use std::{
    io::{Read, Write, stderr},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use ghost::{
    Host, Origin, RunOptions, Script,
    workspace::{Create, Workspace},
};
use ghost_tests::folder::{Finished, Folder, Running};
use serde_json::Value;

const PROCESSES: usize = 8;
const PUTS: usize = 500;

/// Stores its documents and one that all writers share, prints each, and returns the durations of its calls in milliseconds.
const WRITER: &str = "
export async function main(name, puts, pause) {
  const times = [];
  const put = (key, data) => {
    const before = performance.now();
    g.store.put('c', key, data);
    times.push(performance.now() - before);
  };
  for (let i = 0; i < Number(puts); i++) {
    put(`${name}/${i}`, i);
    put('shared', { name, i, text: `${name}/${i} `.repeat(50) });
    console.log(`${name} stored ${i};`);
    if (pause && i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return times;
}";

/// The documents of one writer, in order, without a gap: how many.
const READER: &str = "
export function main(name) {
  let i = 0;
  while (g.store.get('c', `${name}/${i}`)?.data === i) i++;
  return i;
}";

const COUNT: &str = "export const main = () => g.store.count('c');";
const GO_ON: &str = "export const main = () => { for (;;) g.store.count('c'); };";

fn with_scripts() -> Folder {
    let folder = Folder::new();
    for (name, script) in [("writer.js", WRITER), ("reader.js", READER), ("count.js", COUNT), ("go-on.js", GO_ON)] {
        folder.write(name, script);
    }
    folder.ghost(["init"]).finish().exits(0);
    folder
}

/// A writer that never pauses, or one that has other things to do in between.
fn writer(folder: &Folder, name: usize, puts: usize, pause: &str) -> Running {
    folder.ghost(["run", "writer.js", &name.to_string(), &puts.to_string(), pause]).start()
}

fn count(folder: &Folder, name: usize) -> usize {
    let read = folder.ghost(["run", "reader.js", &name.to_string()]).finish().exits(0);
    read.stdout.trim().parse().expect("a number")
}

/// The number of documents that it reported.
fn reported(finished: &Finished) -> usize {
    finished.stderr.matches(';').count()
}

fn never_says_open(finished: Finished) -> Finished {
    finished.never_says("already open").never_says("AlreadyOpen").never_says("panicked")
}

/// The shared document is whole, and the last that one of these processes wrote.
fn assert_shared_is_a_last_one(folder: &Folder, last: impl Fn(usize, usize) -> bool) {
    let read = folder.script([], "export const main = () => g.store.get('c', 'shared').data;").finish().exits(0);
    let shared: Value = serde_json::from_str(&read.stdout).expect("JSON");
    let name: usize = shared["name"].as_str().expect("a name").parse().expect("a number");
    let index = usize::try_from(shared["i"].as_u64().expect("a number")).expect("a number");
    assert_eq!(shared["text"].as_str(), Some(format!("{name}/{index} ").repeat(50).as_str()), "it is whole");
    assert!(last(name, index), "{name} wrote {index}, and it was not its last");
}

/// Prints how long calls waited for other processes.
fn report(what: &str, finished: &[Finished]) {
    let times = finished.iter().map(|finished| serde_json::from_str::<Vec<f64>>(&finished.stdout).expect("times"));
    let times: Vec<f64> = times.flatten().collect();
    // A call that does not wait takes microseconds.
    let mut waits: Vec<f64> = times.iter().copied().filter(|time| *time >= 1.0).collect();
    waits.sort_by(f64::total_cmp);
    let at = |percent: usize| waits.get((waits.len() * percent).div_ceil(100).saturating_sub(1)).unwrap_or(&0.0);
    // Directly to standard error: the harness shows the output of a test only when it fails.
    writeln!(
        stderr(),
        "{what}: of {} calls {} waited, p50 {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        times.len(),
        waits.len(),
        at(50),
        at(99),
        at(100),
    )
    .expect("standard error can be written");
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let folder = with_scripts();
    let running: Vec<_> =
        (0..PROCESSES).map(|name| writer(&folder, name, PUTS, if name < 4 { "" } else { "pause" })).collect();
    let finished: Vec<_> = running.into_iter().map(|running| never_says_open(running.finish().exits(0))).collect();
    report("8 processes at once", &finished);
    folder.ghost(["run", "count.js"]).finish().exits(0).prints(&format!("{}\n", PROCESSES * PUTS + 1));
    for name in 0..PROCESSES {
        assert_eq!(count(&folder, name), PUTS);
    }
    assert_shared_is_a_last_one(&folder, |_, index| index == PUTS - 1);
}

#[test]
fn processes_that_start_one_after_the_other_lose_nothing() {
    let folder = with_scripts();
    let mut running: Vec<Running> = Vec::new();
    for name in 0..PROCESSES {
        if let Some(before) = running.last_mut() {
            before.until_it_says(&format!("stored {};", PUTS / 4));
        }
        running.push(writer(&folder, name, PUTS, "pause"));
    }
    let finished: Vec<_> = running.into_iter().map(|running| never_says_open(running.finish().exits(0))).collect();
    report("8 processes in turns", &finished);
    for name in 0..PROCESSES {
        assert_eq!(count(&folder, name), PUTS);
    }
    assert_shared_is_a_last_one(&folder, |_, index| index == PUTS - 1);
}

#[test]
fn killed_processes_lose_no_reported_write() {
    let folder = with_scripts();
    let killed = |name: usize| name.is_multiple_of(3);
    let puts = |name| if killed(name) { usize::MAX } else { PUTS };
    let mut running: Vec<_> = (0..PROCESSES).map(|name| writer(&folder, name, puts(name), "pause")).collect();
    for (name, running) in running.iter_mut().enumerate().step_by(3) {
        running.until_it_says(&format!("stored {};", 30 * (name + 1)));
        running.signal(libc::SIGKILL);
    }
    let finished: Vec<_> = running.into_iter().map(|running| never_says_open(running.finish())).collect();
    for (name, finished) in finished.iter().enumerate() {
        let (reported, stored) = (reported(finished), count(&folder, name));
        if killed(name) {
            assert_eq!(finished.status.code(), None, "{finished}");
            assert!(stored >= reported, "{name} reported of {reported}, {stored} are there");
        } else {
            assert_eq!((finished.status.code(), reported, stored), (Some(0), PUTS, PUTS), "{finished}");
        }
    }
    assert_shared_is_a_last_one(&folder, |name, index| killed(name) || index == PUTS - 1);
}

#[test]
fn a_process_that_is_stopped_holds_up_the_others_for_5_s_and_goes_on() {
    let folder = with_scripts();
    let mut holder = folder.script([], &format!("console.log('runs'); {GO_ON}")).start();
    holder.until_it_says("runs");
    // From here on it has the workspace nearly always: the count is served in a turn of 50 ms.
    folder.ghost(["run", "count.js"]).finish().exits(0).prints("0\n");
    stop_as_holder(&folder, &holder);
    let waited = folder.ghost(["run", "count.js"]).finish().exits(1).prints("").says("BUSY");
    assert!((Duration::from_secs(5)..Duration::from_secs(20)).contains(&waited.time), "{waited}");
    let waited = waited.says(&format!("process {} holds the workspace", holder.id()));
    folder.ghost(["run", "--timeout", "1s", "count.js"]).finish().exits(3).says("1s").never_says("panicked");
    drop(waited);
    let wait = "export const main = () => g.queue.waitForItem('q');";
    let ended = folder.ghost(["run", "--timeout", "1s", "-e", wait]).finish().exits(3);
    assert!(ended.time < Duration::from_secs(4), "{ended}");
    let check = folder.ghost(["workspace", "check"]).finish().exits(1).says("holds the workspace");
    check.never_says("restore");
    let watch = folder.ghost(["queue", "watch"]).start();
    std::thread::sleep(Duration::from_millis(300));
    watch.signal(libc::SIGINT);
    watch.finish().exits(130);
    holder.signal(libc::SIGCONT);
    folder.ghost(["run", "count.js"]).finish().exits(0).prints("0\n");
    holder.signal(libc::SIGTERM);
    holder.finish().exits(130);
}

#[test]
fn a_run_that_is_stopped_by_its_time_does_not_wait_long_to_abort_its_checkouts() {
    let folder = with_scripts();
    folder.ghost(["queue", "enqueue", "q", "1"]).finish().exits(0);
    let mut holder = folder.script([], &format!("console.log('runs'); {GO_ON}")).start();
    holder.until_it_says("runs");
    let source = "export const main = () => { g.queue.dequeue('q'); console.log('took it;'); for (;;) {} };";
    let mut run = folder.ghost(["run", "--timeout", "4s", "-e", source]).start();
    run.until_it_says("took it;");
    stop_as_holder(&folder, &holder);
    let finished = run.finish().exits(3).says("4s");
    assert!(finished.time < Duration::from_secs(8), "{finished}");
    holder.signal(libc::SIGKILL);
}

/// Stops a busy process while it has the workspace: the lock file then contains its process id.
fn stop_as_holder(folder: &Folder, holder: &Running) {
    let lock = folder.path().join(".ghost/lock");
    let started = Instant::now();
    loop {
        holder.stop();
        if std::fs::read_to_string(&lock).expect("a lock") == holder.id().to_string() {
            return;
        }
        holder.signal(libc::SIGCONT);
        assert!(started.elapsed() < Duration::from_secs(60), "it never has the workspace");
    }
}

#[test]
fn a_process_that_is_stopped_or_killed_while_it_waits_delays_no_other() {
    let folder = with_scripts();
    let mut first = folder.script([], &format!("console.log('runs'); {GO_ON}")).start();
    first.until_it_says("runs");
    let waiting: Vec<_> = (0..4).map(|_| folder.ghost(["run", "go-on.js"]).start()).collect();
    for (index, running) in waiting.iter().enumerate() {
        if index % 2 == 0 { running.stop() } else { running.signal(libc::SIGKILL) }
    }
    for running in &waiting {
        // It was stopped with the workspace in hand.
        if std::fs::read_to_string(folder.path().join(".ghost/lock")).expect("a lock") == running.id().to_string() {
            running.signal(libc::SIGKILL);
        }
    }
    for _ in 0..3 {
        folder.ghost(["run", "count.js"]).finish().exits(0).prints("0\n");
    }
    first.signal(libc::SIGINT);
    first.finish().exits(130);
    waiting.iter().for_each(|running| running.signal(libc::SIGKILL));
}

#[test]
fn a_signal_ends_a_call_that_waits_for_another_process() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let folder = with_scripts();
        let mut holder = folder.script([], &format!("console.log('runs'); {GO_ON}")).start();
        holder.until_it_says("runs");
        stop_as_holder(&folder, &holder);
        let mut waiting = folder.ghost(["run", "-e", &format!("console.log('waits'); {COUNT}")]).start();
        waiting.until_it_says("waits");
        waiting.signal(signal);
        let finished = waiting.finish().exits(130).prints("");
        assert!(finished.time < Duration::from_secs(4), "{finished}");
        holder.signal(libc::SIGKILL);
    }
}

#[test]
fn a_process_with_unread_output_releases_the_workspace() {
    let folder = with_scripts();
    folder.write(
        "talk.js",
        "export const main = () => { for (;;) { g.store.put('c', 'k', 1); console.log('x'.repeat(10_000)); } };",
    );
    let mut command = Command::new(ghost_tests::program::binary());
    command.args(["run", "talk.js"]).current_dir(folder.path()).stderr(Stdio::piped());
    let mut talker = command.spawn().expect("it starts");
    let mut first = [0];
    talker.stderr.as_mut().expect("a pipe").read_exact(&mut first).expect("it writes");
    // The rest fills the pipe, and stays there.
    for _ in 0..3 {
        folder.ghost(["run", "count.js"]).finish().exits(0).prints("1\n");
    }
    talker.kill().expect("it runs");
    talker.wait().expect("it ends");
}

#[test]
fn a_long_lived_host_releases_the_workspace_to_programs() {
    let folder = with_scripts();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let host = Arc::new(Host::new().expect("a host"));
        let workspace = Workspace::at(folder.path(), Create::Never);
        let source = "export function main() { let n = 0; for (const end = Date.now() + 1500; Date.now() < end;) g.store.put('mine', `k${n++}`, n); return n; }";
        let script = Script::from_source(&host, "host.js", source).await.expect("it compiles");
        let runs = [(); 2].map(|()| {
            let (host, script, workspace) = (Arc::clone(&host), script.clone(), workspace.clone());
            let options = RunOptions { workspace: Some(workspace), ..RunOptions::of(Origin::Local) };
            tokio::spawn(async move { host.run(&script, options).await })
        });
        for name in 0..4 {
            folder.ghost(["run", "writer.js", &name.to_string(), "20"]).finish().exits(0);
        }
        for run in runs {
            let outcome = run.await.expect("the run ends");
            assert!(outcome.result.expect("it returned").is_some());
        }
        // Idle, and perhaps with the workspace in hand: a program does not wait for the host's next call.
        let idle = folder.ghost(["run", "reader.js", "3"]).finish().exits(0).prints("20\n");
        assert!(idle.time < Duration::from_secs(4), "{idle}");
    });
}
