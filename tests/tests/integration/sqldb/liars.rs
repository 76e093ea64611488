//! Servers that lie in every message of their protocol: an error for each, no signal, and within the limits of the run.
//!
//! `GHOST_TEST_LIES` is the number of conversations, 1,000 without it; `GHOST_TEST_SEED` the first seed.

use std::{
    collections::BTreeMap,
    env,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ghost_tests::{
    folder::{Finished, Folder, Run},
    servers::liar::postgres::{self, Lie},
};
use serde_json::json;

/// The limit of a run's memory, and what the host may have besides.
const MEMORY: u64 = (256 << 20) + 100_000_000;
/// How many conversations a program has with impatient servers.
const BATCH: u64 = 100;
/// How long a run with impatient servers may take.
const BATCH_TIME: Duration = Duration::from_secs(100);
/// One of this number of conversations is with a patient server.
const PATIENT: u64 = 10;
/// How long a run may take that has a conversation with a patient server.
const TIME: Duration = Duration::from_secs(1);
/// How long cleaning up at the server may take.
const CLEAN_UP: Duration = Duration::from_secs(1);
/// Additional time on a busy machine.
const SLACK: Duration = Duration::from_secs(2);

/// Has a conversation with the servers of some seeds, and returns the outcome of each.
const SCRIPT: &str = r#"
const kinds = [
  (c) => g.sqldb.query(c, "select 1 as number, 'a' as text"),
  (c) => g.sqldb.queryOne(c, "select $1::text as number, $2::text as text", ["a", "b"]),
  (c) => g.sqldb.scalar(c, "select $1::int", [1]),
  (c) => g.sqldb.execute(c, "update a set b = $1", [1]),
  (c) => g.sqldb.transaction(c, async (t) => { await t.execute("insert into a values ($1)", [1]); await t.query("select 1"); }),
  (c) => g.sqldb.executeBatch(c, [{ sql: "insert into a values (1)" }, { sql: "select $1", params: ["a"] }]),
  (c) => g.sqldb.copyFrom(c, "a", [[1, "a", null], [2, "b", null]], { columns: ["x", "y", "z"] }),
  (c) => g.sqldb.copyTo(c, "select 1"),
  (c) => g.sqldb.describeTable(c, "a"),
  (c) => Promise.all([g.sqldb.listTables(c), g.sqldb.listIndexes(c, "a"), g.sqldb.listConstraints(c, "a")]),
  (c) => Promise.all([g.sqldb.query(c, "select 1"), g.sqldb.query(c, "select 1"), g.sqldb.scalar(c, "select 2")]),
  async (c) => { for (let i = 0; i < 4; i++) await g.sqldb.query(c, `select ${i}`); },
];

export async function main(seeds) {
  const reported = {};
  let next = 0;
  const worker = async () => {
    while (next < seeds.length) {
      const seed = seeds[next++];
      reported[seed] = await kinds[Math.floor(seed / 35) % kinds.length](`c${seed}`).then(() => "value", (error) => `${error.code}: ${error.message}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return reported;
}
"#;
const KINDS: u64 = 12;
/// Those that ask for the tables of the server, of which even an honest one has none here.
const CATALOGUE: [u64; 3] = [6, 8, 9];
const LIES: u64 = 35;

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number")))
}

/// A program that talks to the servers of these seeds.
fn talks(folder: &Folder, port: u16, user: &str, time: &str, seeds: &[u64]) -> Run {
    let run = folder.script(["--verbose", "--timeout", time, "--input", "-"], SCRIPT).stdin(json!(seeds).to_string());
    seeds.iter().fold(run, |run, seed| {
        let to = format!("host=127.0.0.1 port={port} user={user} password=p dbname={seed} sslmode=disable");
        run.env(&format!("GHOST_SECRET_C{seed}"), &to)
    })
}

/// Returns what is wrong with the outcome of a conversation.
fn problem(seed: u64, reported: &str) -> Option<String> {
    let honest = Lie::of(seed) == Lie::None && !CATALOGUE.contains(&((seed / LIES) % KINDS));
    let (code, _) = reported.split_once(": ").unwrap_or((reported, ""));
    let known = code.chars().all(|one| one.is_ascii_uppercase() || one == '_');
    let is_outcome = reported == "value" || (known && code != "INTERNAL");
    let is_right = if honest { reported == "value" } else { is_outcome };
    (!is_right).then(|| format!("seed {seed}, {:?}: {reported}", Lie::of(seed)))
}

/// Works on all items with a few threads.
fn in_parallel<T: Send>(items: Vec<T>, threads: usize, work: impl Fn(T) + Sync) {
    let items = Mutex::new(items);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(item) = items.lock().expect("no thread panics with it").pop() else { return };
                    work(item);
                }
            });
        }
    });
}

/// How the programs were that talked to liars.
#[derive(Default)]
struct Observed {
    problems: Mutex<Vec<String>>,
    codes: Mutex<BTreeMap<String, usize>>,
    peak: AtomicU64,
}

impl Observed {
    fn note(&self, seeds: &[u64], finished: &Finished) {
        let peak = finished.peak_memory;
        let mut problems = self.problems.lock().expect("no thread panics with it");
        let lies: Vec<_> = seeds.iter().map(|seed| Lie::of(*seed)).collect();
        let who = if seeds.len() == 1 {
            format!("seed {}, {:?}", seeds[0], lies[0])
        } else {
            format!("seeds from {}", seeds[0])
        };
        self.peak.fetch_max(peak, Ordering::Relaxed);
        if peak > MEMORY {
            problems.push(format!("{who}: {} MB of memory", peak / 1_000_000));
        }
        if finished.time > BATCH_TIME + CLEAN_UP + SLACK {
            problems.push(format!("{who}: {:?}", finished.time));
        }
        match finished.status.code() {
            Some(0) => {
                let reported: BTreeMap<u64, String> = serde_json::from_str(&finished.stdout).expect("it is JSON");
                let mut codes = self.codes.lock().expect("no thread panics with it");
                for (seed, reported) in reported {
                    *codes.entry(reported.split(':').next().unwrap_or_default().to_owned()).or_default() += 1;
                    problems.extend(problem(seed, &reported));
                }
            }
            Some(3) if seeds.len() == 1 => {
                *self
                    .codes
                    .lock()
                    .expect("no thread panics with it")
                    .entry("(the run's time)".to_owned())
                    .or_default() += 1;
            }
            _ => problems.push(format!("{who}: {finished}")),
        }
    }

    fn check(&self, conversations: u64) {
        let problems = self.problems.lock().expect("no thread panics with it");
        let codes = self.codes.lock().expect("no thread panics with it");
        println!(
            "{conversations} conversations, at most {} MB: {codes:?}",
            self.peak.load(Ordering::Relaxed) / 1_000_000
        );
        assert!(
            problems.is_empty(),
            "{} of {conversations}, the first are {:#?}",
            problems.len(),
            &problems[..problems.len().min(20)]
        );
    }
}

/// The seeds with servers that end a conversation soon, and those with servers that never do.
fn seeds() -> (Vec<u64>, Vec<u64>) {
    let (first, count) = (number("GHOST_TEST_SEED", 1), number("GHOST_TEST_LIES", 1_000));
    println!("GHOST_TEST_SEED={first} GHOST_TEST_LIES={count}");
    // The number of patient servers and of lies have no common factor that would keep a lie from one of both kinds.
    (first..first + count).partition(|seed| seed % PATIENT != 9)
}

#[test]
fn a_lie_is_an_error_and_no_signal() {
    let (seeds, _) = seeds();
    let (port, observed) = (postgres::start(), Observed::default());
    let batches: Vec<_> = seeds.chunks(usize::try_from(BATCH).expect("a small number")).map(<[u64]>::to_vec).collect();
    in_parallel(batches, 2, |batch| {
        let folder = Folder::new();
        let finished = talks(&folder, port, "impatient", &format!("{}s", BATCH_TIME.as_secs()), &batch).finish();
        observed.note(&batch, &finished);
    });
    observed.check(seeds.len() as u64);
}

#[test]
fn a_server_that_stalls_is_not_waited_for() {
    let (_, seeds) = seeds();
    let (port, observed) = (postgres::start(), Observed::default());
    let start = Instant::now();
    Folder::new().script([], "export const main = () => 1").finish().exits(0);
    let start = start.elapsed();
    let over = Mutex::new(Vec::new());
    in_parallel(seeds.clone(), 4, |seed| {
        let folder = Folder::new();
        let finished = talks(&folder, port, "patient", "1s", &[seed]).finish();
        observed.note(&[seed], &finished);
        let time = finished.time;
        assert!(time < start + TIME + CLEAN_UP + SLACK, "seed {seed}, {:?}: {time:?}", Lie::of(seed));
        if finished.status.code() == Some(3) {
            over.lock().expect("no thread panics with it").push((time.saturating_sub(start + TIME), Lie::of(seed)));
        }
    });
    let mut over = over.into_inner().expect("no thread panicked");
    over.sort_by_key(|(time, _)| *time);
    assert!(!over.is_empty(), "no server stalled");
    let at = |part: f64| over.get((over.len() as f64 * part) as usize).or(over.last());
    println!(
        "beyond the limit: {} runs, half of them by {:?}, 99 % by {:?}, all by {:?}",
        over.len(),
        at(0.5),
        at(0.99),
        over.last()
    );
    observed.check(seeds.len() as u64);
}
