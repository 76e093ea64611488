//! Whole processes: from nothing to the first line of output and the end.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use ghost_tests::{folder::Folder, program};

use crate::{Row, peers};

const ROUNDS: usize = 60;

struct Program {
    name: &'static str,
    path: PathBuf,
    arguments: &'static [&'static str],
    times: Vec<Duration>,
}

/// `ghost run hello.js`, beside the same in other runtimes.
pub fn cold() -> Result<Row> {
    let folder = Folder::new();
    folder.write("hello.js", "export function main() {\n  return 'hello';\n}\n");
    folder.write("hello.mjs", "console.log('hello');\n");
    let program = |name, path, arguments| Program { name, path, arguments, times: Vec::new() };
    let mut programs = vec![program("ghost", program::binary().to_owned(), &["run", "hello.js"][..])];
    for (name, arguments) in [("node", &["hello.mjs"][..]), ("bun", &["hello.mjs"]), ("deno", &["run", "hello.mjs"])] {
        programs.extend(peers::find(name).map(|path| program(name, path, arguments)));
    }
    // In turn, so that what else the machine does meets them all; the first round fills the caches.
    for round in 0..=ROUNDS {
        for program in &mut programs {
            let time = run(program, folder.path())?;
            if round > 0 {
                program.times.push(time);
            }
        }
    }
    let shown: Vec<_> =
        programs.iter_mut().map(|program| Ok((program.name, told(program, folder.path())?))).collect::<Result<_>>()?;
    let beside = shown[1..].iter().map(|(name, told)| format!("{name} {told}")).collect::<Vec<_>>().join(", ");
    Ok(Row {
        what: "whole process `ghost run hello.js`",
        measured: shown[0].1.clone(),
        beside,
        wanted: "0.8 of bun, an eighth of deno; 16 MiB",
    })
}

fn run(program: &Program, folder: &Path) -> Result<Duration> {
    let started = Instant::now();
    let status =
        Command::new(&program.path).args(program.arguments).current_dir(folder).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{} failed", program.name);
    Ok(started.elapsed())
}

/// The median time, and the most memory that was resident.
fn told(program: &mut Program, folder: &Path) -> Result<String> {
    program.times.sort();
    let median = program.times[program.times.len() / 2];
    let memory = resident(program, folder)?.map_or_else(String::new, |kib| format!(", {:.0} MiB", kib / 1024.0));
    Ok(format!("{:.1} ms{memory}", median.as_secs_f64() * 1e3))
}

/// What GNU time says, where it is installed.
fn resident(program: &Program, folder: &Path) -> Result<Option<f64>> {
    let Some(time) = peers::find("time") else { return Ok(None) };
    let told = Command::new(time)
        .args(["-f", "%M"])
        .arg(&program.path)
        .args(program.arguments)
        .current_dir(folder)
        .output()?;
    let text = String::from_utf8(told.stderr)?;
    Ok(Some(text.trim().parse().with_context(|| text.clone())?))
}
