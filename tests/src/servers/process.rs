//! A server in a separate process, which a script of `tests/servers` installs and starts.
//!
//! `tests/servers/common` is the other side: it describes what a script prints, and when the server ends.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{ChildStdin, Command, Stdio},
    str::FromStr,
};

use anyhow::{Context, Result, bail};

use crate::program::repository;

/// A running server.
pub struct Server {
    name: String,
    /// Lines of `key=value`.
    description: Vec<String>,
    /// The script stops the server when this pipe is closed, at the latest when this process ends.
    _stdin: ChildStdin,
}

impl Server {
    /// Starts `tests/servers/NAME`, and waits until the server answers.
    ///
    /// Fails when it can't be installed or started, with what it wrote to standard error and its log.
    pub fn start(name: &str, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(repository().join("tests/servers").join(name));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("tests/servers/{name} does not run"))?;
        let stdin = child.stdin.take().context("standard input is a pipe")?;
        let lines = BufReader::new(child.stdout.take().context("standard output is a pipe")?).lines();
        let server = Self { name: name.to_owned(), description: lines.collect::<Result<_, _>>()?, _stdin: stdin };
        if server.find("ready").is_none() {
            let mut reason = String::new();
            child.stderr.take().context("standard error is a pipe")?.read_to_string(&mut reason)?;
            bail!("tests/servers/{name}: {}", reason.trim());
        }
        Ok(server)
    }

    fn find(&self, key: &str) -> Option<&str> {
        self.description.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    }

    /// The value of a key in its description.
    pub fn value<T: FromStr<Err: Into<anyhow::Error>>>(&self, key: &str) -> Result<T> {
        let text = self.find(key).with_context(|| format!("tests/servers/{} does not print {key}", self.name))?;
        text.parse().map_err(Into::into)
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> Result<u16> {
        self.value("port")
    }

    /// Its log so far.
    pub fn log(&self) -> Result<String> {
        let path: PathBuf = self.value("log")?;
        fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))
    }
}
