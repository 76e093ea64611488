//! An attack, and the contract that its outcome must satisfy.

use std::{
    fmt::Write,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Result, ensure};
use ghost_tests::{folder::Finished, servers::Needed};

/// Part of every secret, file and variable that an attack must not reach.
pub const CANARY: &str = "canary7f3a";

/// How much later than the deadline a program may end on a machine that is busy with other tests.
pub const LATE: Duration = Duration::from_millis(1_500);

/// Memory that the host may need in addition to that of the script.
const HOST_MEMORY: u64 = 100 << 20;

/// Words that only a fault of the host, or of the code in the engine, brings into an output.
const FAULTS: [&str; 15] = [
    "panicked",
    "thread '",
    "memory allocation of",
    "called `",
    "unwrap()",
    "RUST_BACKTRACE",
    "internal error",
    "[INTERNAL]",
    "uncaught null",
    "wasm backtrace",
    "<unknown>!",
    ".rs:",
    "Os {",
    "Err(",
    "kind: ",
];

/// One attack.
pub struct Attack {
    /// `scripts`, `queries`, ...
    pub kind: &'static str,
    /// A sentence: the attempt, or the property that must hold.
    pub name: String,
    /// The server that it needs.
    pub server: Option<Needed>,
    body: Box<dyn FnOnce() -> Result<Seen> + Send>,
}

/// Its outcome, for the table.
#[derive(Default)]
pub struct Seen {
    outcome: String,
    time: Duration,
    memory: u64,
}

struct Row {
    kind: &'static str,
    name: String,
    seen: Seen,
    held: bool,
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

impl Attack {
    pub fn new(
        kind: &'static str,
        name: impl Into<String>,
        body: impl FnOnce() -> Result<Seen> + Send + 'static,
    ) -> Self {
        Self { kind, name: name.into(), server: None, body: Box::new(body) }
    }

    pub fn with_server(self, server: Option<Needed>) -> Self {
        Self { server, ..self }
    }

    pub fn run(self) -> Result<()> {
        let result = (self.body)();
        let (seen, held, result) = match result {
            Ok(seen) => (seen, true, Ok(())),
            Err(error) => {
                let outcome = format!("{error:#}").lines().next().unwrap_or_default().to_owned();
                (Seen { outcome, ..Seen::default() }, false, Err(error))
            }
        };
        let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(Row { kind: self.kind, name: self.name, seen, held });
        result
    }
}

impl Seen {
    /// Of a program that has ended.
    pub fn of(finished: &Finished) -> Self {
        let said = finished.stderr.lines().find(|line| line.contains("rror") || line.starts_with('['));
        let status = finished.status.code().map_or("signal".into(), |code| format!("exit {code}"));
        let outcome = match said {
            Some(line) if finished.status.code() != Some(0) => {
                format!("{status}: {}", line.chars().take(90).collect::<String>())
            }
            _ => status,
        };
        Self { outcome, time: finished.time, memory: finished.peak_memory }
    }

    /// The worse of two, of one attack.
    pub fn and(self, other: Self) -> Self {
        let outcome = if other.outcome.is_empty() { self.outcome } else { other.outcome };
        Self { outcome, time: self.time.max(other.time), memory: self.memory.max(other.memory) }
    }
}

/// The allowed outcomes.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The exit statuses that are right.
    pub exits: Vec<i32>,
    /// From the start of the program to its end.
    pub time: Duration,
    /// The most resident memory that the program may have at any time.
    pub memory: u64,
}

impl Contract {
    /// For a program that no limit has to stop.
    pub fn exits(exits: &[i32]) -> Self {
        Self { exits: exits.to_vec(), time: Duration::from_secs(10), memory: HOST_MEMORY + (256 << 20) }
    }

    /// The outcome comes by this time, and a little for a busy machine.
    pub fn within(self, time: Duration) -> Self {
        Self { time: time + LATE, ..self }
    }

    /// The script may have this much memory; the host needs a little more.
    pub fn with_memory(self, script: u64) -> Self {
        Self { memory: script + HOST_MEMORY, ..self }
    }

    /// Checks the outcome of a program.
    pub fn check(&self, finished: &Finished) -> Result<Seen> {
        let code = finished.status.code();
        ensure!(code.is_some(), "a signal ended the program\n{finished}");
        ensure!(
            code.is_some_and(|code| self.exits.contains(&code)),
            "the exit status is {code:?}, not one of {:?}\n{finished}",
            self.exits
        );
        ensure!(finished.time <= self.time, "it took {:?}, the bound is {:?}\n{finished}", finished.time, self.time);
        ensure!(
            finished.peak_memory <= self.memory,
            "it held {} MiB, the bound is {}\n{finished}",
            finished.peak_memory >> 20,
            self.memory >> 20
        );
        // After an interruption no message is needed; a terminal gets both outputs as one.
        let spoke = !finished.stderr.trim().is_empty() || !finished.stdout.trim().is_empty();
        ensure!(spoke || matches!(code, Some(0 | 130)), "it failed without a word\n{finished}");
        for (name, text) in [("standard output", &finished.stdout), ("standard error", &finished.stderr)] {
            says_no_fault(name, text, finished)?;
        }
        if let Some(hostile) = finished.stderr.chars().find(|character| is_hostile(*character)) {
            ensure!(false, "{hostile:?} was written raw to standard error\n{finished}");
        }
        Ok(Seen::of(finished))
    }
}

fn says_no_fault(name: &str, text: &str, finished: &Finished) -> Result<()> {
    for fault in FAULTS {
        ensure!(!text.contains(fault), "{name} has {fault:?}\n{finished}");
    }
    ensure!(!text.to_lowercase().contains(CANARY), "{name} has a secret\n{finished}");
    Ok(())
}

/// Whether a terminal interprets the character, or it makes a text look like another.
pub fn is_hostile(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => true,
        '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

/// The outcomes of all attacks so far, as a table in Markdown.
pub fn table() -> String {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    let mut table = String::from("| Kind | Attack | Outcome | ms | MiB |\n|---|---|---|---|---|\n");
    for Row { kind, name, seen: Seen { outcome, time, memory }, held } in rows.iter() {
        let outcome = outcome.replace('|', "\\|");
        let mark = if *held { "" } else { "**succeeded**: " };
        let _infallible =
            writeln!(table, "| {kind} | {name} | {mark}{outcome} | {} | {} |", time.as_millis(), memory >> 20);
    }
    table
}
