//! Items of 200 bytes through a queue: ghost beside Deno KV, and what a call of ghost takes in queues of any length.

use std::{fs, time::Instant};

use anyhow::{Context, Result, ensure};
use ghost_tests::{folder::Folder, program};

use crate::{
    ROUNDS,
    figure::Figure,
    programs::{Programs, output},
};

const ITEMS: &str = "5000";
const LENGTHS: [(&str, &str); 4] = [("0", "0"), ("1000", "1,000"), ("100000", "100,000"), ("1000000", "1,000,000")];

pub fn print(programs: &Programs) -> Result<()> {
    let (mut ghost, mut deno) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ghost.push(through(|folder| run_ghost(folder, &["through", ITEMS]))?);
        deno.push(through(|folder| run_deno(programs, folder))?);
    }
    println!("| Items of 200 bytes through a queue, one by one | ghost | Deno KV |\n|---|---|---|");
    println!("| enqueued, taken and done, a second | {} | {} |\n", Figure::of(ghost), Figure::of(deno));
    println!("| A call, with so many items in the queue | enqueue | dequeue | commit | count |\n|---|---|---|---|---|");
    for (length, shown) in LENGTHS {
        println!("| {shown} | {} |", calls(length)?.join(" | "));
    }
    println!();
    Ok(())
}

/// Items a second, from the start of the process to its end: all is on disk by then.
fn through(run: impl Fn(&Folder) -> Result<String>) -> Result<f64> {
    let folder = Folder::new();
    let started = Instant::now();
    let told = run(&folder)?;
    let seconds = started.elapsed().as_secs_f64();
    ensure!(told.trim() == ITEMS, "not all items came through: {told}");
    Ok(ITEMS.parse::<f64>()? / seconds)
}

fn run_ghost(folder: &Folder, what: &[&str]) -> Result<String> {
    fs::write(folder.path().join("queue.mjs"), include_str!("queue.js"))?;
    output(program::binary(), &[&["run", "queue.mjs"], what].concat(), folder.path())
}

fn run_deno(programs: &Programs, folder: &Folder) -> Result<String> {
    fs::write(folder.path().join("queue.mjs"), include_str!("queue_deno.js"))?;
    let arguments = ["run", "--quiet", "--allow-all", "--unstable-kv", "queue.mjs", ITEMS];
    output(&programs.deno, &arguments, folder.path())
}

/// What each call takes, the median of the rounds.
fn calls(length: &str) -> Result<Vec<String>> {
    let mut measured = vec![Vec::new(); 4];
    for _ in 0..ROUNDS {
        let told = run_ghost(&Folder::new(), &["flat", length])?;
        let times: Vec<f64> = serde_json::from_str(&told).with_context(|| told.clone())?;
        measured.iter_mut().zip(times).for_each(|(measured, time)| measured.push(1e6 / time));
    }
    Ok(measured.into_iter().map(|measured| Figure::of(measured).time_of_one()).collect())
}
