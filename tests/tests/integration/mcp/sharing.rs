//! Several clients, and programs next to them, in one workspace.

use std::{
    thread,
    time::{Duration, Instant},
};

use ghost_tests::{folder::Folder, machine};
use serde_json::json;

use super::client::{Client, workspace};

const ADD: &str = "export const main = () => g.store.update('c', 'n', (n = 0) => n + 1).data";
const COMPUTE: &str = "export const main = (n) => Array.from({ length: 100 }, (_, i) => i * n).reduce((a, b) => a + b)";
const STORE: &str = "export function main(n) {
    console.log('run', n);
    g.store.put('c', String(n % 50), { n });
    return g.store.count('c');
}";
const CLIENTS: usize = 8;
const RUNS: usize = 10;

#[test]
fn eight_clients_and_a_program_share_a_workspace() {
    let folder = workspace();
    let run = |folder: &Folder| folder.ghost(["run", "-e", ADD]).finish().exits(0);
    let slowest = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Client::connect(&folder, &[]);
                    let mut slowest = Duration::ZERO;
                    for _ in 0..RUNS {
                        let started = Instant::now();
                        client.value(ADD);
                        slowest = slowest.max(started.elapsed());
                    }
                    client.ends_well();
                    slowest
                })
            })
            .collect();
        for _ in 0..RUNS {
            run(&folder);
        }
        clients.into_iter().map(|client| client.join().expect("the client succeeds")).max()
    });
    // A call waits for 5 s at most.
    assert!(slowest < Some(Duration::from_secs(6)), "{slowest:?}");
    let total = folder.ghost(["run", "-e", "export const main = () => g.store.get('c', 'n').data"]).finish().exits(0);
    total.prints(&format!("{}\n", (CLIENTS + 1) * RUNS));
}

#[test]
fn the_runs_of_one_client_are_parallel_up_to_a_bound() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &["--timeout", "30s"]);
    // No run of the first round ends before eight of them run; how many do is what each saw last.
    let source = "export async function main(number) {
        const running = () => g.store.count('begun') - g.store.count('ended');
        const pause = (time) => new Promise((done) => setTimeout(done, time));
        g.store.put('begun', String(number), 1);
        while (g.store.count('begun') < 8) await pause(5);
        await pause(200);
        const seen = running();
        g.store.put('ended', String(number), 1);
        return seen;
    }";
    let call = |number: usize| json!({ "name": "run_script", "arguments": { "source": source, "input": number } });
    let ids: Vec<_> = (0..16).map(|number| client.begin("tools/call", call(number))).collect();
    let answers = ids.into_iter().map(|id| client.answer(id)["result"]["structuredContent"]["value"].clone());
    let most = answers.map(|seen| seen.as_u64().expect("a number")).max();
    assert_eq!(most, Some(8));
    client.ends_well();
}

#[test]
fn more_runs_than_may_wait_are_refused() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let source = "export const main = () => new Promise((done) => setTimeout(() => done(1), 500))";
    let call = json!({ "name": "run_script", "arguments": { "source": source } });
    let ids: Vec<_> = (0..90).map(|_| client.begin("tools/call", call.clone())).collect();
    let (mut done, mut refused) = (0, 0);
    for id in ids {
        let content = client.answer(id)["result"]["structuredContent"].clone();
        match content["error"]["code"].as_str() {
            Some("BUSY") => refused += 1,
            other => {
                assert_eq!((other, &content["value"]), (None, &json!(1)), "{content}");
                done += 1;
            }
        }
    }
    assert!(done >= 8 + 64 && refused > 0, "{done} {refused}");
    client.ends_well();
}

/// `GHOST_TEST_MCP_RUNS=1000` and `--nocapture` print the figures of the README.
#[test]
fn memory_stays_flat_over_many_runs() {
    let runs: usize = std::env::var("GHOST_TEST_MCP_RUNS").map_or(300, |runs| runs.parse().expect("it is a number"));
    let folder = workspace();
    let mut client = Client::connect(&folder, &[]);
    for (what, source) in [("compute", COMPUTE), ("store", STORE)] {
        for number in 0..100 {
            timed_run(&mut client, source, number);
        }
        let memory = |client: &Client| machine::memory(client.id()).expect("the server runs");
        let before = memory(&client);
        let mut times: Vec<_> = (0..runs).map(|number| timed_run(&mut client, source, number)).collect();
        let after = memory(&client);
        times.sort();
        let share = |percent: usize| times[times.len() * percent / 100];
        let (median, slow) = (share(50), share(99));
        println!(
            "{runs} runs that {what}: p50 {median:?}, p99 {slow:?}; {} MiB, then {} MiB",
            before >> 20,
            after >> 20
        );
        assert!(after < before + (16 << 20), "{what}: {} MiB before, {} MiB after", before >> 20, after >> 20);
    }
    client.ends_well();
}

fn timed_run(client: &mut Client, source: &str, number: usize) -> Duration {
    let started = Instant::now();
    let result = client.call("run_script", json!({ "source": source, "input": number }));
    assert_eq!(result["isError"], false, "{result}");
    started.elapsed()
}
