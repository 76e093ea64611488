//! The document databases of the tests, which `tests/servers` installs and starts: FerretDB and mongo-java-server. Neither
//! can do all that MongoDB can; a case that needs more than one of them has names the other one.

use std::{path::PathBuf, sync::LazyLock};

use anyhow::Result;

use super::Server;

/// FerretDB on SQLite, with logins and TLS.
pub struct FerretDb {
    /// The connection string for ghost, over TLS.
    pub connection: String,
    /// On 127.0.0.1, without TLS.
    pub port: u16,
    /// On 127.0.0.1, with TLS.
    pub tls: u16,
    /// Of the user `ghost`.
    pub password: String,
    /// The certificate of the authority that signed the certificate of `localhost`.
    pub authority: PathBuf,
    /// The folder of other certificates by the same authority: `other`, `expired`.
    pub certificates: PathBuf,
    _server: Server,
}

impl FerretDb {
    /// A connection string with other options, without TLS.
    pub fn plain(&self, options: &str) -> String {
        self.at(self.port, options)
    }

    /// A connection string for a port of `localhost`.
    pub fn at(&self, port: u16, options: &str) -> String {
        format!("mongodb://ghost:{}@localhost:{port}/?directConnection=true{options}", self.password)
    }
}

/// FerretDB, or why there is none. All tests of a process share it.
pub fn ferretdb() -> Result<&'static FerretDb, &'static str> {
    static SERVER: LazyLock<Result<FerretDb, String>> =
        LazyLock::new(|| start().map_err(|error| format!("there is no FerretDB to test with: {error:#}")));
    SERVER.as_ref().map_err(String::as_str)
}

fn start() -> Result<FerretDb> {
    let server = Server::start("ferretdb", &[])?;
    let (tls, authority): (u16, PathBuf) = (server.value("tls")?, server.value("authority")?);
    let mut found = FerretDb {
        connection: String::new(),
        port: server.port()?,
        tls,
        password: server.value("password")?,
        certificates: server.value("certificates")?,
        authority,
        _server: server,
    };
    found.connection = found.at(tls, &format!("&tls=true&tlsCAFile={}", found.authority.display()));
    Ok(found)
}

/// FerretDB's connection string, or why there is none.
pub fn ferretdb_connection() -> Result<&'static str, &'static str> {
    ferretdb().map(|server| server.connection.as_str())
}

/// FerretDB. Without it the test is skipped.
///
/// # Panics
///
/// When servers are required and this one is missing.
pub fn ferretdb_or_skip() -> Option<&'static FerretDb> {
    super::or_skip(ferretdb())
}

/// The connection string of mongo-java-server, or why there is none.
pub fn java_connection() -> Result<&'static str, &'static str> {
    static SERVER: LazyLock<Result<(String, Server), String>> = LazyLock::new(|| {
        let server = Server::start("mongo-java-server", &[]).and_then(|server| Ok((server.port()?, server)));
        let server =
            server.map(|(port, server)| (format!("mongodb://127.0.0.1:{port}/?directConnection=true"), server));
        server.map_err(|error| format!("there is no mongo-java-server to test with: {error:#}"))
    });
    SERVER.as_ref().map(|(connection, _)| connection.as_str()).map_err(String::as_str)
}

/// The connection string of mongo-java-server. Without it the test is skipped.
///
/// # Panics
///
/// When servers are required and this one is missing.
pub fn java_or_skip() -> Option<&'static str> {
    super::or_skip(java_connection())
}
