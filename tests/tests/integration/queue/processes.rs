//! Queues between processes: workers and producers, some of them killed, and the checkouts of runs that fail.

use std::{collections::BTreeMap, path::Path, thread, time::Duration};

use ghost_tests::{
    folder::{Folder, Running},
    program::repository,
};
use serde_json::Value;

use crate::commands::{evaluate, json};

const PRODUCERS: usize = 8;
const CONSUMERS: usize = 4;
const ITEMS: usize = 60;

fn start(folder: &Folder, script: &str, arguments: &[&str]) -> Running {
    folder.ghost(["run", script].into_iter().chain(arguments.iter().copied())).start()
}

/// Puts items named after the producer, a few at a time.
const PRODUCE: &str = "export async function main(name, count) {
  for (let i = 0; i < Number(count); i++) {
    g.queue.enqueue('q', `${name}-${i}`, { priority: i % 3, maxRetries: 100 });
    if (i % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return 1;
}";

/// Stores a document for each time that an item is processed, and commits the item. With a short lease it may be too late.
const CONSUME: &str = "export async function main(name, timeoutMs, leaseMs) {
  let done = 0;
  const options = { timeoutMs: Number(timeoutMs), leaseMs: Number(leaseMs) };
  for (let item; (item = await g.queue.waitForItem('q', options)); ) {
    g.store.put('done', `${item.data} ${name} ${item.id}`, 1);
    try {
      g.queue.commit(item.id);
      done++;
    } catch (error) {
      if (error.code !== 'NOT_FOUND' || leaseMs > 10000) throw error;
    }
    console.log('did one;');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return done;
}";

/// How often each item was processed.
fn worked_off(folder: &Folder) -> BTreeMap<String, usize> {
    let keys = evaluate(
        folder,
        "export const main = () => g.store.list('done', { limit: 100000 }).map((document) => document.key);",
    );
    let mut times = BTreeMap::new();
    for key in keys.as_array().expect("an array") {
        let name = key.as_str().and_then(|key| key.split(' ').next()).expect("a name");
        *times.entry(name.to_owned()).or_default() += 1;
    }
    times
}

fn produced() -> Vec<String> {
    let mut names: Vec<_> =
        (0..PRODUCERS).flat_map(|producer| (0..ITEMS).map(move |item| format!("p{producer}-{item}"))).collect();
    names.sort();
    names
}

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("produce.js", PRODUCE);
    folder.write("consume.js", CONSUME);
    folder.ghost(["init"]).finish().exits(0);
    folder
}

fn producers(folder: &Folder) -> Vec<Running> {
    let count = ITEMS.to_string();
    (0..PRODUCERS).map(|number| start(folder, "produce.js", &[&format!("p{number}"), &count])).collect()
}

#[test]
fn every_item_is_processed_exactly_once_if_no_worker_dies() {
    let folder = prepared();
    let consumers: Vec<_> =
        (0..CONSUMERS).map(|number| start(&folder, "consume.js", &[&format!("c{number}"), "8000", "300000"])).collect();
    producers(&folder).into_iter().for_each(|producer| drop(producer.finish().exits(0)));
    let done: usize = consumers
        .into_iter()
        .map(|consumer| consumer.finish().exits(0).stdout.trim().parse::<usize>().expect("a count"))
        .sum();
    assert_eq!(done, PRODUCERS * ITEMS);
    let times = worked_off(&folder);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    assert_eq!(times.into_keys().collect::<Vec<_>>(), produced());
    assert_eq!(evaluate(&folder, "export const main = () => g.queue.queues();"), Value::Array(Vec::new()));
}

#[test]
fn every_item_is_processed_at_least_once_if_workers_die() {
    let folder = prepared();
    let producers = producers(&folder);
    for round in 0..CONSUMERS {
        let mut consumer = start(&folder, "consume.js", &[&format!("killed{round}"), "20000", "2000"]);
        consumer.until_it_says("did one;");
        thread::sleep(Duration::from_millis(20));
        consumer.signal(libc::SIGKILL);
        consumer.finish();
    }
    producers.into_iter().for_each(|producer| drop(producer.finish().exits(0)));
    let consumers: Vec<_> =
        (0..CONSUMERS).map(|number| start(&folder, "consume.js", &[&format!("c{number}"), "6000", "2000"])).collect();
    consumers.into_iter().for_each(|consumer| drop(consumer.finish().exits(0)));
    let times = worked_off(&folder);
    assert_eq!(times.into_keys().collect::<Vec<_>>(), produced());
    assert_eq!(evaluate(&folder, "export const main = () => g.queue.queues();"), Value::Array(Vec::new()));
}

/// Steps of a worker, each with where the item is when the worker is killed there and its lease has ended.
const STEPS: [(&str, &str); 9] = [
    ("", "null"),
    ("g.queue.enqueue('q', 1);", "pending 0 undefined"),
    ("g.queue.enqueue('q', 1); g.queue.dequeue('q', lease);", "pending 1 lease expired"),
    ("g.queue.enqueue('q', 1); await g.queue.waitForItem('q', lease);", "pending 1 lease expired"),
    (
        "g.queue.enqueue('q', 1); const item = g.queue.dequeue('q', lease); g.store.put('done', '1', item.data);",
        "pending 1 lease expired",
    ),
    ("g.queue.enqueue('q', 1); g.queue.commit(g.queue.dequeue('q', lease).id);", "null"),
    ("g.queue.enqueue('q', 1); g.queue.abort(g.queue.dequeue('q', lease).id, 'no luck');", "pending 1 no luck"),
    (
        "g.queue.enqueue('q', 1, { maxRetries: 0 }); g.queue.abort(g.queue.dequeue('q', lease).id, 'no luck');",
        "dead 1 no luck",
    ),
    (
        "g.queue.enqueue('q', 1, { maxRetries: 0 }); g.queue.abort(g.queue.dequeue('q', lease).id, 'no luck'); \
         g.queue.retry('q', g.queue.deadLetter('q')[0].id);",
        "pending 0 no luck",
    ),
];

/// Waits until nothing is checked out, and says where the item is.
const WHERE: &str = "export async function main() {
  let [item] = g.queue.list('q');
  for (let i = 0; i < 200 && !item && g.queue.queues().length && !g.queue.deadLetter('q').length; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    [item] = g.queue.list('q');
  }
  const [dead] = g.queue.deadLetter('q');
  if (!item && !dead) return 'null';
  const { attempts, lastError } = item ?? dead;
  return `${item ? 'pending' : 'dead'} ${attempts} ${lastError}`;
}";

/// Runs a script up to a place where it stays, and kills it there.
fn kill_at(folder: &Folder, steps: &str) {
    let source = format!(
        "export async function main() {{ const lease = {{ leaseMs: 1000 }}; {steps} console.log('is there;'); \
         await new Promise((resolve) => setTimeout(resolve, 60000)); }}"
    );
    let mut worker = folder.script([], &source).start();
    worker.until_it_says("is there;");
    worker.signal(libc::SIGKILL);
    worker.finish();
}

#[test]
fn a_worker_that_is_killed_at_each_step_loses_nothing() {
    for (steps, expected) in STEPS {
        let folder = Folder::new();
        folder.ghost(["init"]).finish().exits(0);
        kill_at(&folder, steps);
        assert_eq!(evaluate(&folder, WHERE), expected, "{steps}");
        // The next worker gets it, and can commit it.
        if expected.starts_with("pending") {
            let next =
                "export const main = () => { g.queue.commit(g.queue.dequeue('q').id); return g.queue.queues(); };";
            assert_eq!(evaluate(&folder, next), Value::Array(Vec::new()), "{steps}");
        }
        folder.ghost(["workspace", "check"]).finish().exits(0);
    }
}

#[test]
fn a_killed_waiter_loses_no_item() {
    let folder = Folder::new();
    folder.ghost(["init"]).finish().exits(0);
    kill_at(&folder, "g.queue.waitForItem('q'); await new Promise((resolve) => setTimeout(resolve, 100));");
    evaluate(&folder, "export const main = () => { g.queue.enqueue('q', 1); return 1; };");
    assert_eq!(evaluate(&folder, "export const main = () => g.queue.dequeue('q').attempts;"), 1);
}

#[test]
fn a_waiter_sees_an_item_of_another_process_within_100_ms() {
    let folder = prepared();
    let source = "export async function main() { console.log('waits;'); \
                  const item = await g.queue.waitForItem('q', { timeoutMs: 20000 }); return Date.now() - item.data; }";
    folder.write("wait.js", source);
    let mut waiter = start(&folder, "wait.js", &[]);
    waiter.until_it_says("waits;");
    // By now it has released the workspace, and polls only the notification file.
    thread::sleep(Duration::from_millis(1_500));
    evaluate(&folder, "export const main = () => { g.queue.enqueue('q', Date.now()); return 1; };");
    let late: u64 = waiter.finish().exits(0).stdout.trim().parse().expect("milliseconds");
    println!("seen after {late} ms");
    // The wish is 100 ms; a test on a busy machine allows for more.
    assert!(late < 1_000, "{late} ms");
}

/// Returns the item after a run whose script ends with `then`.
fn after(folder: &Folder, flags: &[&str], then: &str, status: i32) -> Value {
    let source = format!("export async function main() {{ g.queue.enqueue('q', 1); g.queue.dequeue('q'); {then} }}");
    folder.script(flags.iter().copied(), &source).finish().exits(status);
    evaluate(folder, "export const main = () => g.queue.peek('q');")
}

#[test]
fn a_failed_run_aborts_its_checkouts() {
    let failures = [
        (&[][..], "throw new Error('no luck');", 1, "no luck"),
        (&["--timeout", "300ms"], "for (;;) {}", 3, "the script ran for longer than its limit of 300ms"),
        (
            &["--timeout", "300ms"],
            "await g.queue.waitForItem('none');",
            3,
            "the script ran for longer than its limit of 300ms",
        ),
        (
            &[],
            "await new Promise(() => {});",
            1,
            "main can never settle: no call is in flight, and no timer is running",
        ),
    ];
    for (flags, then, status, error) in failures {
        let item = after(&Folder::new(), flags, then, status);
        assert_eq!(item["lastError"], error, "{then}");
        assert_eq!(item["attempts"], 1);
    }
}

#[test]
fn a_successful_run_keeps_its_checkouts() {
    assert_eq!(after(&Folder::new(), &[], "", 0), Value::Null);
}

#[test]
fn an_interrupted_run_aborts_its_checkouts() {
    for then in ["await g.queue.waitForItem('none');", "for (;;) {}"] {
        let folder = Folder::new();
        let source = format!(
            "export async function main() {{ g.queue.enqueue('q', 1); g.queue.dequeue('q'); console.log('took it;'); {then} }}"
        );
        let mut running = folder.script([], &source).start();
        running.until_it_says("took it;");
        running.signal(libc::SIGINT);
        running.finish().exits(130);
        let item = evaluate(&folder, "export const main = () => g.queue.peek('q');");
        assert_eq!(item["lastError"], "the run was stopped", "{then}");
    }
}

#[test]
fn an_interrupted_run_aborts_although_another_process_has_the_workspace() {
    let folder = Folder::new();
    folder.ghost(["queue", "enqueue", "q", "1"]).finish().exits(0);
    let busy = "export const main = () => { for (let i = 0; ; i++) { g.store.put('c', 'k', i); if (i === 1) console.log('busy;'); } };";
    let mut other = folder.script([], busy).start();
    other.until_it_says("busy;");
    let source = "export async function main() { g.queue.dequeue('q'); console.log('took it;'); await new Promise((resolve) => setTimeout(resolve, 60_000)); }";
    let mut running = folder.ghost(["run", "-e", source]).start();
    running.until_it_says("took it;");
    running.signal(libc::SIGINT);
    running.finish().exits(130);
    let item = evaluate(&folder, "export const main = () => g.queue.peek('q');");
    assert_eq!(item["lastError"], "the run was stopped");
    other.signal(libc::SIGKILL);
}

#[test]
fn the_worker_and_the_producer_work_together() {
    let folder = Folder::new();
    let script = |name: &str| path(&repository().join("scripts").join(name));
    folder.ghost(["init"]).finish().exits(0);
    let workers: Vec<_> = (0..2).map(|_| start(&folder, &script("worker.js"), &["6000"])).collect();
    let producer = start(&folder, &script("producer.js"), &["50"]);
    producer.finish().exits(0);
    let mut sent = 0;
    for worker in workers {
        let report: Value = serde_json::from_str(&worker.finish().exits(0).stdout).expect("the report is JSON");
        sent += report["sent"].as_u64().expect("a count");
    }
    // Seven of fifty have no address, and are tried three times.
    assert_eq!(sent, 43);
    assert_eq!(evaluate(&folder, "export const main = () => g.store.count('sent');"), 43);
    let dead = json(&folder, &["queue", "dead", "mails"]);
    let dead = dead.as_array().expect("an array");
    assert_eq!(dead.len(), 7);
    assert!(dead.iter().all(|item| item["lastError"] == "no address: nobody" && item["attempts"] == 3));
}

fn path(path: &Path) -> String {
    path.to_str().expect("the path is text").to_owned()
}
