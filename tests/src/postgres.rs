//! The PostgreSQL server of the tests: the one that `GHOST_TEST_POSTGRES` names, or one of their own, which
//! `tests/servers/postgres` installs and starts and which ends with the tests.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{ChildStdin, Command, Stdio},
    sync::LazyLock,
};

use anyhow::{Context, Result, ensure};

use crate::program::repository;

/// A server to test with.
pub struct Postgres {
    /// How ghost is told of it.
    pub connection: String,
    /// What only a server of the tests' own can tell.
    pub own: Option<Own>,
}

/// A server that the tests started.
pub struct Own {
    /// On 127.0.0.1.
    pub port: u16,
    /// Of the user `ghost`.
    pub password: String,
    /// The certificate of the authority that vouches for `localhost`.
    pub authority: PathBuf,
    /// Where it logs every statement.
    pub log: PathBuf,
    /// When it is closed, the server ends: so it is when this process does.
    _stdin: ChildStdin,
}

/// The server, or why there is none.
pub fn server() -> Result<&'static Postgres, &'static str> {
    static SERVER: LazyLock<Result<Postgres, String>> =
        LazyLock::new(|| find().map_err(|error| format!("there is no PostgreSQL server to test with: {error:#}")));
    SERVER.as_ref().map_err(String::as_str)
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
pub fn or_skip() -> Option<&'static Postgres> {
    match server() {
        Ok(server) => Some(server),
        Err(reason) => {
            assert!(!must_be_there(), "{reason}");
            eprintln!("skipped: {reason}");
            None
        }
    }
}

fn find() -> Result<Postgres> {
    match env::var("GHOST_TEST_POSTGRES") {
        Ok(connection) => Ok(Postgres { connection, own: None }),
        Err(_) => start(),
    }
}

fn start() -> Result<Postgres> {
    let mut command = Command::new(repository().join("tests/servers/postgres"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("tests/servers/postgres does not run")?;
    let stdin = child.stdin.take().context("it was asked for")?;
    let lines = BufReader::new(child.stdout.take().context("it was asked for")?).lines();
    let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
    let field = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    if field("ready").is_none() {
        let mut told = String::new();
        child.stderr.take().context("it was asked for")?.read_to_string(&mut told)?;
        ensure!(false, "{}", told.trim());
    }
    let field = |name: &str| field(name).with_context(|| format!("tests/servers/postgres does not tell {name}"));
    let own = Own {
        port: field("port")?.parse()?,
        password: field("password")?.to_owned(),
        authority: field("authority")?.into(),
        log: field("log")?.into(),
        _stdin: stdin,
    };
    Ok(Postgres { connection: own.connection("sslmode=verify-full"), own: Some(own) })
}

impl Own {
    /// A connection string for it, with more options.
    pub fn connection(&self, more: &str) -> String {
        let Self { port, password, authority, .. } = self;
        let authority = authority.display();
        format!(
            "host=localhost hostaddr=127.0.0.1 port={port} user=ghost password={password} dbname=postgres sslrootcert={authority} {more}"
        )
    }
}
