//! The PostgreSQL server of the tests: the one that `GHOST_TEST_POSTGRES` names, or one that `tests/servers/postgres`
//! installs and starts.

use std::{env, path::PathBuf, sync::LazyLock};

use anyhow::{Error, Result};

use super::{Server, process};
use crate::folder::Folder;

/// A server to test with.
pub struct Postgres {
    /// The connection string for ghost.
    pub connection: String,
    /// Details that are known only of a server that the tests started.
    pub own: Option<&'static Own>,
}

/// A server that the tests started.
pub struct Own {
    /// On 127.0.0.1.
    pub port: u16,
    /// Of the user `ghost`.
    pub password: String,
    /// The certificate of the authority that signed the certificate of `localhost`.
    pub authority: PathBuf,
    server: process::Server,
}

/// The server, or why there is none. All tests of a process share it.
pub fn server() -> Result<&'static Postgres, &'static str> {
    static SERVER: LazyLock<Result<Postgres, String>> =
        LazyLock::new(|| find().map_err(|error| format!("there is no PostgreSQL server to test with: {error:#}")));
    SERVER.as_ref().map_err(String::as_str)
}

/// The server's connection string, or why there is no server.
pub fn connection() -> Result<&'static str, &'static str> {
    server().map(|server| server.connection.as_str())
}

/// The server. Without one the test is skipped.
///
/// # Panics
///
/// When servers are required and this one is missing.
pub fn or_skip() -> Option<&'static Postgres> {
    super::or_skip(server())
}

/// A server that the tests start, also when `GHOST_TEST_POSTGRES` names another one: for a test that needs its port, its
/// password or its log. Without one the test is skipped.
///
/// # Panics
///
/// When servers are required and this one is missing.
pub fn own_or_skip() -> Option<&'static Own> {
    super::or_skip(own())
}

fn own() -> Result<&'static Own, &'static str> {
    static OWN: LazyLock<Result<Own, String>> =
        LazyLock::new(|| Own::start().map_err(|error| format!("no PostgreSQL server can be started: {error:#}")));
    OWN.as_ref().map_err(String::as_str)
}

fn find() -> Result<Postgres> {
    if let Ok(connection) = env::var("GHOST_TEST_POSTGRES") {
        return Ok(Postgres { connection, own: None });
    }
    let own = own().map_err(Error::msg)?;
    Ok(Postgres { connection: own.connection("sslmode=verify-full"), own: Some(own) })
}

impl Postgres {
    /// Creates a database for one test, and returns its connection string: other tests use the server at the same time.
    ///
    /// A server that was named by the user is used as it is.
    pub fn database(&self, name: &str) -> String {
        self.own.map_or_else(|| self.connection.clone(), |own| own.database(name))
    }
}

impl Own {
    fn start() -> Result<Self> {
        let server = Server::start("postgres", &[])?;
        Ok(Self {
            port: server.port()?,
            password: server.value("password")?,
            authority: server.value("authority")?,
            server,
        })
    }

    /// Creates a database for one test, and returns its connection string.
    pub fn database(&self, name: &str) -> String {
        let source = "export const main = (name) => g.sqldb.execute('db', `create database ${name}`);";
        let (folder, connection) = (Folder::new(), self.connection("sslmode=verify-full"));
        folder.write("create.js", source);
        folder.ghost(["run", "create.js", name]).env("GHOST_SECRET_DB", &connection).finish().exits(0);
        format!("{connection} dbname={name}")
    }

    /// A connection string for it, with more options.
    pub fn connection(&self, more: &str) -> String {
        let Self { port, password, authority, .. } = self;
        let authority = authority.display();
        format!(
            "host=localhost hostaddr=127.0.0.1 port={port} user=ghost password={password} dbname=postgres sslrootcert={authority} {more}"
        )
    }

    /// The entries of the server's log about a database, as `LEVEL:  message`.
    ///
    /// # Panics
    ///
    /// When the log can't be read.
    pub fn log(&self, database: &str) -> Vec<String> {
        entries(&self.server.log().expect("the server logs"), database)
    }
}

/// Entries of a log with the prefix `TIME [PROCESS] DATABASE `.
fn entries(log: &str, database: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in log.split('\n') {
        // A line that continues an entry begins with a tab, whatever the statement contains.
        match (line.strip_prefix('\t'), all.last_mut()) {
            (Some(more), Some(entry)) => {
                entry.push('\n');
                entry.push_str(more);
            }
            _ => all.push(line.to_owned()),
        }
    }
    let of_database =
        |entry: &String| Some(entry.split_once("] ")?.1.strip_prefix(database)?.strip_prefix(' ')?.into());
    all.iter().filter_map(of_database).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_log_belong_to_one_database() {
        let log = "2026-01-31 12:00:00.000 UTC [42]  LOG:  ready\n\
                   2026-01-31 12:00:00.000 UTC [43] one LOG:  statement: select 1\n\
                   \t  2] one \n\
                   2026-01-31 12:00:00.000 UTC [44] ones LOG:  statement: select 3\n\
                   2026-01-31 12:00:00.000 UTC [43] one ERROR:  no\n";
        assert_eq!(entries(log, "one"), ["LOG:  statement: select 1\n  2] one ", "ERROR:  no"]);
    }
}
