//! The PostgreSQL server of the tests: the one that `GHOST_TEST_POSTGRES` names, or one of their own, which
//! `tests/servers/postgres` installs and starts and which ends with the tests.

use std::{env, path::PathBuf, sync::LazyLock};

use anyhow::Result;

use crate::server::{self, Server};

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
    _server: Server,
}

/// The server, or why there is none.
pub fn server() -> Result<&'static Postgres, &'static str> {
    static SERVER: LazyLock<Result<Postgres, String>> =
        LazyLock::new(|| find().map_err(|error| format!("there is no PostgreSQL server to test with: {error:#}")));
    SERVER.as_ref().map_err(String::as_str)
}

/// The server; none when it is missing and need not be there.
///
/// # Panics
///
/// When it must be there and is not.
pub fn or_skip() -> Option<&'static Postgres> {
    server::or_skip(server())
}

fn find() -> Result<Postgres> {
    match env::var("GHOST_TEST_POSTGRES") {
        Ok(connection) => Ok(Postgres { connection, own: None }),
        Err(_) => start(),
    }
}

fn start() -> Result<Postgres> {
    let server = Server::start("postgres", &[])?;
    let own = Own {
        port: server.value("port")?,
        password: server.value("password")?,
        authority: server.value("authority")?,
        log: server.value("log")?,
        _server: server,
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
