//! External servers for the tests: real ones, started from `tests/servers` (`process.rs`), and those in this process that
//! fail (`proxy.rs`) or lie (`liar`).

pub mod cluster;
pub mod documentdb;
pub mod gateway;
pub mod liar;
mod listener;
pub mod objectstore;
pub mod postgres;
mod process;
pub mod proxy;

use std::{env, fmt};

use anyhow::{Error, Result};

pub use process::Server;

/// A server that the cases of a namespace need.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    namespace: &'static str,
    /// The name by which a case selects it: `// servers: postgres`.
    pub name: &'static str,
    /// The variable that makes its connection string a secret.
    variable: &'static str,
    /// Its connection string, or why there is no server.
    connection: fn() -> Result<&'static str, &'static str>,
}

const NEEDED: &[Needed] = &[
    Needed {
        namespace: "objectstore",
        name: "minio",
        variable: "GHOST_SECRET_DB",
        connection: objectstore::minio_connection,
    },
    Needed {
        namespace: "objectstore",
        name: "versitygw",
        variable: "GHOST_SECRET_DB",
        connection: objectstore::versitygw_connection,
    },
    Needed { namespace: "sqldb", name: "postgres", variable: "GHOST_SECRET_DB", connection: postgres::connection },
    Needed {
        namespace: "clustersearch",
        name: "elasticsearch",
        variable: "GHOST_SECRET_CLUSTER",
        connection: cluster::elasticsearch_secret,
    },
    Needed {
        namespace: "clustersearch",
        name: "opensearch",
        variable: "GHOST_SECRET_CLUSTER",
        connection: cluster::opensearch_secret,
    },
    Needed {
        namespace: "documentdb",
        name: "ferretdb",
        variable: "GHOST_SECRET_DOCS",
        connection: documentdb::ferretdb_connection,
    },
    Needed {
        namespace: "documentdb",
        name: "java",
        variable: "GHOST_SECRET_DOCS",
        connection: documentdb::java_connection,
    },
];

/// The servers of a namespace, on each of which its cases run; none for a namespace that needs none.
pub fn of(namespace: &str) -> impl Iterator<Item = Needed> {
    NEEDED.iter().copied().filter(move |needed| needed.namespace == namespace)
}

impl Needed {
    /// The variable that makes its connection string a secret, and its value.
    pub fn variable(self) -> Result<(&'static str, &'static str)> {
        Ok((self.variable, (self.connection)().map_err(Error::msg)?))
    }

    /// Why tests that need it are skipped: it is missing, and need not exist.
    pub fn skipped(self) -> Option<&'static str> {
        if are_required() { None } else { (self.connection)().err() }
    }
}

/// Whether a missing server fails the tests, as it does in CI.
fn are_required() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true")
}

/// The server. Without one the test is skipped, with a note on standard error.
///
/// # Panics
///
/// When servers are required and this one is missing.
pub fn or_skip<T, E: fmt::Display>(found: Result<T, E>) -> Option<T> {
    match found {
        Ok(server) => Some(server),
        Err(reason) => {
            assert!(!are_required(), "{reason:#}");
            eprintln!("skipped: {reason:#}");
            None
        }
    }
}
