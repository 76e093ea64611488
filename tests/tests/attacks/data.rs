//! Attacks that are text files in `tests/attacks/`.
//!
//! A file holds many: each begins with a line `//# its name` (`;;#` in WebAssembly text), then lines `// word: value` on how
//! it is run and which outcome is expected, then its code. By default a script has 3 s and 64 MiB, and must end with
//! status 0.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use ghost_tests::{
    folder::{Finished, Folder},
    program::repository,
    servers::{self, Needed},
};

use crate::attack::{Attack, CANARY, Contract, Seen};

const TIME: Duration = Duration::from_secs(3);
const MEMORY_MIB: u64 = 64;

/// How an attack is run, and which outcome is expected.
#[derive(Clone, Debug, Default)]
pub struct Section {
    pub name: String,
    pub code: String,
    flags: Vec<String>,
    arguments: Vec<String>,
    stdin: String,
    runs: u32,
    exits: Vec<i32>,
    stdout: Option<String>,
    stderr: Vec<String>,
    stderr_lacks: Vec<String>,
    stderr_kib: Option<usize>,
    time: Option<Duration>,
    memory_mib: Option<u64>,
    server: Option<Needed>,
}

/// All attacks that are scripts.
pub fn scripts() -> Result<Vec<Attack>> {
    let mut attacks = Vec::new();
    for (kind, server) in [("scripts", None), ("queries", None), ("sql", servers::of("sqldb").next())] {
        for section in sections(kind, "js")? {
            let section = Section { server, ..section };
            let name = section.name.clone();
            attacks.push(Attack::new(kind, name, move || section.run_script()).with_server(server));
        }
    }
    Ok(attacks)
}

/// The sections of the files with this ending in a folder of `tests/attacks`.
pub fn sections(folder: &str, ending: &str) -> Result<Vec<Section>> {
    let folder = repository().join("tests/attacks").join(folder);
    let mut found: Vec<Section> = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|found| found == ending)) {
        found.extend(read(path).with_context(|| path.display().to_string())?);
    }
    let mut names: Vec<_> = found.iter().map(|section| &section.name).collect();
    names.sort();
    ensure!(names.windows(2).all(|pair| pair[0] != pair[1]), "two attacks have one name in {}", folder.display());
    Ok(found)
}

fn read(path: &Path) -> Result<Vec<Section>> {
    let source = fs::read_to_string(path)?;
    let comment = if path.extension().is_some_and(|ending| ending == "wat") { ";;" } else { "//" };
    let mut sections: Vec<Section> = Vec::new();
    let mut in_head = false;
    for line in source.lines() {
        if let Some(name) = line.strip_prefix(&format!("{comment}# ")) {
            sections.push(Section { name: name.into(), ..Section::default() });
            in_head = true;
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match line.strip_prefix(comment).filter(|_| in_head) {
            Some(directive) => section.apply(directive.trim_start()).with_context(|| line.to_owned())?,
            None => {
                in_head = false;
                section.code += line;
                section.code.push('\n');
            }
        }
    }
    Ok(sections)
}

impl Section {
    fn apply(&mut self, directive: &str) -> Result<()> {
        let (word, value) = directive.split_once(':').context("a directive has a colon")?;
        let value = value.strip_prefix(' ').unwrap_or(value);
        match word {
            "flags" => self.flags.extend(value.split_whitespace().map(String::from)),
            "arguments" => self.arguments.extend(value.split_whitespace().map(String::from)),
            "stdin" => self.stdin += &format!("{value}\n"),
            "runs" => self.runs = value.parse()?,
            "exit" => self.exits = value.split('|').map(|code| Ok(code.trim().parse()?)).collect::<Result<_>>()?,
            "stdout" if value.is_empty() => self.stdout = Some(String::new()),
            "stdout" => *self.stdout.get_or_insert_default() += &format!("{value}\n"),
            "stderr" => self.stderr.push(value.into()),
            "stderr lacks" => self.stderr_lacks.push(value.into()),
            "stderr KiB" => self.stderr_kib = Some(value.parse()?),
            "seconds" => self.time = Some(Duration::from_secs(value.parse()?)),
            "MiB" => self.memory_mib = Some(value.parse()?),
            _ => bail!("there is no directive {word:?}"),
        }
        Ok(())
    }

    fn flag(&self, name: &str) -> Option<&str> {
        let at = self.flags.iter().position(|flag| flag == name)?;
        self.flags.get(at + 1).map(String::as_str)
    }

    fn run_script(&self) -> Result<Seen> {
        let folder = Folder::new();
        folder.write("script.js", self.code.replace("CANARY", CANARY));
        self.run(&folder, "script.js")
    }

    /// Runs a file of the folder as often as the section says.
    pub fn run(&self, folder: &Folder, file: &str) -> Result<Seen> {
        let mut seen = Seen::default();
        for _ in 0..self.runs.max(1) {
            let mut run = folder.ghost(self.command(file).iter().map(String::as_str)).stdin(self.stdin.as_str());
            run = run.env("GHOST_TEST_CANARY", CANARY);
            if let Some(server) = self.server {
                let (name, value) = server.variable()?;
                run = run.env(name, value);
            }
            let finished = run.finish();
            seen = seen.and(self.check(&finished, folder)?);
        }
        Ok(seen)
    }

    fn command(&self, file: &str) -> Vec<String> {
        let mut command = vec!["run".to_owned()];
        if self.flag("--timeout").is_none() {
            command.extend(["--timeout".into(), format!("{}s", TIME.as_secs())]);
        }
        if self.flag("--max-memory").is_none() {
            command.extend(["--max-memory".into(), format!("{MEMORY_MIB}M")]);
        }
        command.extend(self.flags.iter().cloned());
        command.push(file.into());
        command.extend(self.arguments.iter().cloned());
        command
    }

    fn contract(&self) -> Result<Contract> {
        let time = match self.flag("--timeout") {
            Some(flag) => humantime(flag)?,
            None => TIME,
        };
        let memory_mib = match self.flag("--max-memory") {
            Some(flag) => flag.trim_end_matches('M').parse()?,
            None => MEMORY_MIB,
        };
        let exits = if self.exits.is_empty() { vec![0] } else { self.exits.clone() };
        // Cleaning up at a server may take another second.
        let clean_up = Duration::from_secs(self.server.is_some().into());
        let mut contract = Contract::exits(&exits).within(self.time.unwrap_or(time + clean_up));
        contract = contract.with_memory(memory_mib << 20);
        if let Some(bound) = self.memory_mib {
            contract.memory = bound << 20;
        }
        Ok(contract)
    }

    fn check(&self, finished: &Finished, folder: &Folder) -> Result<Seen> {
        let seen = self.contract()?.check(finished)?;
        // An attack that ends by a mistake of its own proves nothing.
        ensure!(!finished.stderr.contains("ReferenceError"), "the attack has a mistake\n{finished}");
        let path = folder.path().display().to_string();
        ensure!(!finished.stdout.contains(&path), "standard output has a path of the host\n{finished}");
        ensure!(!finished.stderr.contains(&path), "standard error has a path of the host\n{finished}");
        if let Some(expected) = &self.stdout {
            ensure!(finished.stdout == *expected, "standard output is not\n{expected}\n{finished}");
        }
        // An attack that never reached the server proves nothing.
        let reached =
            self.server.is_none() || !format!("{}{}", finished.stdout, finished.stderr).contains("SECRET_NOT_FOUND");
        ensure!(reached, "the server was not reached\n{finished}");
        for expected in &self.stderr {
            ensure!(finished.stderr.contains(expected), "standard error lacks {expected:?}\n{finished}");
        }
        if let Some(kib) = self.stderr_kib {
            let written = finished.stderr.len();
            ensure!(written <= kib << 10, "{written} bytes are on standard error, the bound is {kib} KiB\n{finished}");
        }
        for unwanted in &self.stderr_lacks {
            ensure!(!finished.stderr.contains(unwanted), "standard error has {unwanted:?}\n{finished}");
        }
        Ok(seen)
    }
}

/// `500ms` or `2s`.
fn humantime(text: &str) -> Result<Duration> {
    match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(milliseconds), _) => Ok(Duration::from_millis(milliseconds.parse()?)),
        (None, Some(seconds)) => Ok(Duration::from_secs(seconds.parse()?)),
        _ => bail!("{text} is no duration"),
    }
}
