//! `ghost queue`, as users and their pipes run it.

use ghost_tests::folder::Folder;
use serde_json::Value;

use crate::commands::{evaluate, json};

#[test]
fn the_commands_show_and_change_queues() {
    let folder = Folder::new();
    folder.ghost(["queue", "list"]).finish().fails_clearly(2);
    folder
        .ghost(["queue", "enqueue", "q", "{\"n\": 1}", "--max-retries", "0"])
        .finish()
        .exits(0)
        .says("made a workspace");
    folder.ghost(["queue", "enqueue", "q", "--priority", "2"]).stdin("[2]").finish().exits(0);
    let shown = json(&folder, &["queue", "show", "q"]);
    assert_eq!((&shown[0]["data"], &shown[0]["priority"]), (&serde_json::json!([2]), &2.into()));
    assert_eq!(shown[1]["data"], serde_json::json!({ "n": 1 }));
    evaluate(
        &folder,
        "export const main = () => { g.queue.commit(g.queue.dequeue('q').id); g.queue.abort(g.queue.dequeue('q').id, 'no'); return 1; };",
    );
    let list = json(&folder, &["queue", "list"]);
    assert_eq!((&list[0]["name"], &list[0]["pending"], &list[0]["dead"]), (&"q".into(), &0.into(), &1.into()));
    let dead = json(&folder, &["queue", "dead", "q"]);
    assert_eq!(dead[0]["lastError"], "no");
    folder
        .ghost(["queue", "retry", "q", "999"])
        .finish()
        .fails_clearly(1)
        .says("no dead letter 999")
        .says("ghost queue dead q");
    folder.ghost(["queue", "retry", "nosuch", "1"]).finish().fails_clearly(1).says("there is no queue \"nosuch\"");
    let id = dead[0]["id"].to_string();
    folder
        .ghost(["queue", "retry", "q", &id])
        .finish()
        .exits(0)
        .prints("")
        .says("moved 1 dead letter of q back to pending");
    assert_eq!(json(&folder, &["queue", "show", "q"]).as_array().map(Vec::len), Some(1));
    folder
        .ghost(["queue", "clear", "q"])
        .finish()
        .exits(0)
        .prints("")
        .says("deleted 1 item of q: 1 pending, 0 checked out");
    folder.ghost(["queue", "show", "q"]).finish().fails_clearly(1).says("there is no queue \"q\"");
    folder.ghost(["queue", "clear", "q"]).finish().fails_clearly(1).says("there is no queue \"q\"");
    folder.ghost(["queue", "enqueue", "q", "{"]).finish().fails_clearly(2);
    folder.ghost(["queue", "enqueue", "", "1"]).finish().fails_clearly(2).says("name must not be empty");
}

#[test]
fn all_dead_letters_go_back_at_once() {
    let folder = Folder::new();
    let kill = "export function main() { for (let i = 0; i < 2500; i++) { g.queue.enqueue('q', i, { maxRetries: 0 }); g.queue.abort(g.queue.dequeue('q').id, 'no'); } return 1; }";
    evaluate(&folder, kill);
    folder
        .ghost(["queue", "retry", "q", "--all"])
        .finish()
        .exits(0)
        .says("moved 2,500 dead letters of q back to pending");
    let order = "export const main = () => [g.queue.deadLetter('q').length, g.queue.list('q', { limit: 2500 }).every((item, i) => item.data === i)];";
    assert_eq!(evaluate(&folder, order), serde_json::json!([0, true]));
    folder.ghost(["queue", "retry", "q", "--all"]).finish().exits(0).says("moved 0 dead letters");
    folder.ghost(["queue", "retry", "nosuch", "--all"]).finish().fails_clearly(1).says("there is no queue \"nosuch\"");
    folder.ghost(["queue", "retry", "q"]).finish().fails_clearly(2);
}

#[test]
fn data_is_stored_without_blanks_and_priorities_have_names() {
    let folder = Folder::new();
    for priority in ["low", "normal", "high"] {
        let data = format!("{{ \"a b\": [1,\n 2], \"p\": \"{priority}\" }}");
        folder.ghost(["queue", "enqueue", "q", &data, "--priority", priority]).finish().exits(0);
    }
    let shown = folder.ghost(["queue", "show", "q"]).finish().exits(0).stdout;
    let places =
        ["high", "normal", "low"].map(|priority| shown.find(&format!("{{\"a b\":[1,2],\"p\":\"{priority}\"}}")));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{shown}");
    let refused = folder.ghost(["queue", "enqueue", "q", "1", "--priority", "3"]).finish().fails_clearly(2);
    refused.says("high, normal and low are allowed");
    let refused = folder.ghost(["queue", "enqueue", "q", "1", "--max-retries", "-1"]).finish().fails_clearly(2);
    refused.says("whole numbers from 0 to 2147483647 are allowed");
}

/// The samples that were printed so far, each on a line.
fn samples(output: &str) -> Vec<Value> {
    let whole = output.rfind('\n').map_or("", |end| &output[..end]);
    whole.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// The number of pending items of a queue in the last sample.
fn pending(output: &str, name: &str) -> Option<u64> {
    let last = samples(output).pop()?;
    last["queues"].as_array()?.iter().find(|queue| queue["name"] == name)?["pending"].as_u64()
}

#[test]
fn watch_reports_once_a_second_until_it_is_interrupted() {
    let folder = Folder::new();
    folder.ghost(["queue", "enqueue", "q", "1"]).finish().exits(0);
    let mut watch = folder.ghost(["queue", "watch"]).start();
    watch.until_its_output(|output| output.ends_with('\n'));
    folder.ghost(["queue", "enqueue", "q", "2"]).finish().exits(0);
    folder.ghost(["queue", "enqueue", "a new one", "3"]).finish().exits(0);
    watch.until_its_output(|output| pending(output, "q") == Some(2) && pending(output, "a new one") == Some(1));
    watch.signal(libc::SIGINT);
    let finished = watch.finish().exits(130);
    let lines = samples(&finished.stdout);
    assert!(lines.iter().all(|line| line["time"].as_str().is_some_and(|time| time.ends_with('Z'))), "{finished}");
    // A process that has to wait for its turn is late, but never early.
    assert!(lines.len() as u64 <= finished.time.as_secs() + 1, "{finished}");
    let queues: Vec<_> = lines.iter().map(|line| line["queues"].as_array().expect("an array")).collect();
    assert_eq!(queues[0][0]["pending"], 1);
    assert_eq!(queues[0][0]["enqueuedPerSecond"], Value::Null, "nothing is known yet");
    for name in ["q", "a new one"] {
        let mut rates = queues.iter().flat_map(|queues| queues.iter()).filter(|queue| queue["name"] == name);
        assert!(rates.any(|queue| queue["enqueuedPerSecond"].as_f64() > Some(0.0)), "{name}: {finished}");
    }
}

#[test]
fn watch_goes_on_while_another_process_holds_the_workspace() {
    let folder = Folder::new();
    folder.ghost(["queue", "enqueue", "q", "1"]).finish().exits(0);
    let holds = "export function main() { for (let i = 0; i < 1e6; i++) { g.store.put('c', 'k', i); console.log(`put ${i};`); } }";
    let mut holder = folder.script([], holds).start();
    holder.until_it_says("put 100;");
    holder.stop();
    let mut watch = folder.ghost(["queue", "watch"]).start();
    let is_busy = |line: &&Value| line["error"]["code"] == "BUSY";
    watch.until_its_output(|output| samples(output).iter().filter(is_busy).count() >= 5);
    holder.signal(libc::SIGCONT);
    watch.until_its_output(|output| pending(output, "q") == Some(1));
    holder.signal(libc::SIGKILL);
    watch.signal(libc::SIGINT);
    let finished = watch.finish().exits(130);
    let id = holder.id().to_string();
    holder.finish();
    let lines = samples(&finished.stdout);
    assert!(lines.iter().filter(is_busy).all(|line| line["error"]["message"].to_string().contains(&id)), "{finished}");
}
