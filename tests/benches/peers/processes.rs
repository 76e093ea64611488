//! Whole processes: from nothing to the first line of output and the end.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use ghost_tests::{folder::Folder, program};

use crate::programs::{Programs, command, find};

const ROUNDS: usize = 40;

struct Program {
    name: &'static str,
    path: PathBuf,
    arguments: &'static [&'static str],
    times: Vec<Duration>,
}

pub fn print(programs: &Programs) -> Result<()> {
    let folder = Folder::new();
    folder.write("hello.js", "export function main() {\n  return 'hello';\n}\n");
    folder.write("hello.mjs", "console.log('hello');\n");
    let program = |name, path, arguments| Program { name, path, arguments, times: Vec::new() };
    let mut programs = vec![
        program("`ghost run hello.js`", program::binary().to_owned(), &["run", "hello.js"][..]),
        program("Bun", programs.bun.clone(), &["hello.mjs"]),
        program("Deno", programs.deno.clone(), &["run", "hello.mjs"]),
    ];
    programs.extend(find("node").map(|path| program("Node.js", path, &["hello.mjs"][..])));
    // In turn, so that what else the machine does meets them all; the first round fills the caches.
    for round in 0..=ROUNDS {
        for program in &mut programs {
            let time = run(program, folder.path())?;
            if round > 0 {
                program.times.push(time);
            }
        }
    }
    println!("| A whole process, of {ROUNDS} rounds | time | memory |\n|---|---|---|");
    for program in &mut programs {
        let milliseconds = median(program);
        println!("| {} | {milliseconds:.1} ms | {} |", program.name, resident(program, folder.path())?);
    }
    println!();
    Ok(())
}

fn run(program: &Program, folder: &Path) -> Result<Duration> {
    let started = Instant::now();
    let status = command(&program.path).args(program.arguments).current_dir(folder).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{} failed", program.name);
    Ok(started.elapsed())
}

/// In milliseconds.
fn median(program: &mut Program) -> f64 {
    program.times.sort();
    program.times[program.times.len() / 2].as_secs_f64() * 1e3
}

/// The most memory that was resident, as GNU time says, where it is installed.
fn resident(program: &Program, folder: &Path) -> Result<String> {
    let Some(time) = find("time") else { return Ok(String::new()) };
    let told =
        command(&time).args(["-f", "%M"]).arg(&program.path).args(program.arguments).current_dir(folder).output()?;
    let text = String::from_utf8(told.stderr)?;
    let kibibytes: f64 = text.trim().parse().with_context(|| text.clone())?;
    Ok(format!("{:.0} MiB", kibibytes / 1024.0))
}
