//! Servers of the tests' own: programs in `tests/servers` that say where they are, and end with the tests.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{ChildStdin, Command, Stdio},
    str::FromStr,
};

use anyhow::{Context, Result, ensure};

use crate::program::repository;

/// A server that runs.
pub struct Server {
    name: String,
    said: Vec<String>,
    /// When it is closed, the server ends: so it is when this process does.
    _stdin: ChildStdin,
}

impl Server {
    /// Starts `tests/servers/NAME`.
    ///
    /// Fails with what it says when it can't be installed or started.
    pub fn start(name: &str, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(repository().join("tests/servers").join(name));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("tests/servers/{name} does not run"))?;
        let stdin = child.stdin.take().context("it was asked for")?;
        let lines = BufReader::new(child.stdout.take().context("it was asked for")?).lines();
        let server = Self { name: name.to_owned(), said: lines.collect::<Result<_, _>>()?, _stdin: stdin };
        if server.find("ready").is_none() {
            let mut told = String::new();
            child.stderr.take().context("it was asked for")?.read_to_string(&mut told)?;
            ensure!(false, "{}", told.trim());
        }
        Ok(server)
    }

    fn find(&self, key: &str) -> Option<&str> {
        self.said.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    }

    /// What the server said for a key.
    pub fn value<T: FromStr<Err: Into<anyhow::Error>>>(&self, key: &str) -> Result<T> {
        let text = self.find(key).with_context(|| format!("tests/servers/{} does not tell {key}", self.name))?;
        text.parse().map_err(Into::into)
    }
}

/// Whether a missing server fails the tests.
pub fn must_be_there() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true")
}

/// The server; none when it is missing and need not be there, which standard error is told.
///
/// # Panics
///
/// When it must be there and is not.
pub fn or_skip<T, E: std::fmt::Display>(found: Result<T, E>) -> Option<T> {
    match found {
        Ok(server) => Some(server),
        Err(reason) => {
            assert!(!must_be_there(), "{reason:#}");
            eprintln!("skipped: {reason:#}");
            None
        }
    }
}
