//! Documents of 200 bytes: ghost beside Bun with SQLite, at both of its promises, and Deno KV.

use std::{fs, path::PathBuf, time::Instant};

use anyhow::{Context, Result};
use ghost_tests::{folder::Folder, program};

use crate::{
    ROUNDS,
    figure::Figure,
    programs::{Programs, output},
};

/// How long each measure goes on, in each round.
const MILLISECONDS: &str = "700";
const SMALL: &str = "100000";
/// Several times the cache of ghost's database.
const BIG: &str = "1000000";

/// One row.
struct Measure {
    title: &'static str,
    /// What the workload calls it.
    name: &'static str,
    /// The collection that is there already.
    size: Option<&'static str>,
    /// Whether the promise of the disk makes no difference, and Bun is asked once.
    reads: bool,
    shown: fn(&Figure) -> String,
}

const MEASURES: [Measure; 6] = [
    Measure { title: "put, new keys, a second", name: "put", size: None, reads: false, shown: Figure::to_string },
    Measure {
        title: "put over random keys of 1,000,000, a second",
        name: "overwrite",
        size: Some(BIG),
        reads: false,
        shown: Figure::to_string,
    },
    Measure {
        title: "get, random keys of 100,000, a second",
        name: "get",
        size: Some(SMALL),
        reads: true,
        shown: Figure::to_string,
    },
    Measure {
        title: "get, random keys of 1,000,000, a second",
        name: "get",
        size: Some(BIG),
        reads: true,
        shown: Figure::to_string,
    },
    Measure {
        title: "list 100 of 1,000,000 by key",
        name: "list",
        size: Some(BIG),
        reads: true,
        shown: Figure::time_of_one,
    },
    Measure { title: "count 1,000,000", name: "count", size: Some(BIG), reads: true, shown: Figure::time_of_one },
];

/// A program with the workload for it.
struct Contender {
    program: PathBuf,
    arguments: &'static [&'static str],
    source: &'static str,
    /// Whether it does only the measures that write.
    only_writes: bool,
    small: Folder,
    big: Folder,
}

pub fn print(programs: &Programs) -> Result<()> {
    let contenders = contenders(programs)?;
    println!(
        "| Documents of 200 bytes | ghost | Bun, SQLite NORMAL | Bun, SQLite FULL | Deno KV |\n|---|---|---|---|---|"
    );
    for measure in &MEASURES {
        println!("| {} | {} |", measure.title, row(measure, &contenders)?.join(" | "));
    }
    println!();
    Ok(())
}

fn contenders(programs: &Programs) -> Result<Vec<Contender>> {
    let ghost = program::binary().to_owned();
    let contender = |program, arguments, source, only_writes| {
        let (small, big) = (Folder::new(), Folder::new());
        Contender { program, arguments, source, only_writes, small, big }
    };
    let contenders = vec![
        contender(ghost, &["run"][..], include_str!("ghost.js"), false),
        contender(programs.bun.clone(), &[], include_str!("bun.js"), false),
        contender(programs.bun.clone(), &[], include_str!("bun.js"), true),
        contender(
            programs.deno.clone(),
            &["run", "--quiet", "--allow-all", "--unstable-kv"],
            include_str!("deno.js"),
            false,
        ),
    ];
    for contender in &contenders {
        contender.fill(&contender.small, SMALL)?;
        contender.fill(&contender.big, BIG)?;
    }
    Ok(contenders)
}

/// In turn, so that what else the machine does meets them all.
fn row(measure: &Measure, contenders: &[Contender]) -> Result<Vec<String>> {
    let mut measured = vec![Vec::new(); contenders.len()];
    for round in 0..ROUNDS {
        for (contender, measured) in contenders.iter().zip(&mut measured) {
            if !(contender.only_writes && measure.reads) {
                measured.push(contender.measure(measure, round)?);
            }
        }
    }
    let shown = |measured: Vec<f64>| {
        if measured.is_empty() { "as NORMAL".into() } else { (measure.shown)(&Figure::of(measured)) }
    };
    Ok(measured.into_iter().map(shown).collect())
}

impl Contender {
    fn fill(&self, folder: &Folder, size: &str) -> Result<()> {
        self.work(folder, &["fill", size]).map(drop)
    }

    /// Calls a second, from the start of the process to its end: what it has written is on disk by then.
    fn measure(&self, measure: &Measure, round: u32) -> Result<f64> {
        let empty = Folder::new();
        let folder = match measure.size {
            None => &empty,
            Some(SMALL) => &self.small,
            Some(_) => &self.big,
        };
        let started = Instant::now();
        let calls =
            self.work(folder, &[measure.name, measure.size.unwrap_or("0"), MILLISECONDS, &round.to_string()])?;
        Ok(calls / started.elapsed().as_secs_f64())
    }

    /// What the workload tells.
    fn work(&self, folder: &Folder, what: &[&str]) -> Result<f64> {
        fs::write(folder.path().join("work.mjs"), [include_str!("workload.js"), self.source].join("\n"))?;
        let synchronous: &[&str] = match self.source.contains("PRAGMA synchronous") {
            true if self.only_writes => &["FULL"],
            true => &["NORMAL"],
            false => &[],
        };
        let arguments = [self.arguments, &["work.mjs"], synchronous, what].concat();
        let told = output(&self.program, &arguments, folder.path())?;
        told.trim().parse().with_context(|| told.clone())
    }
}
