//! The search clusters of the tests: those that `GHOST_TEST_ELASTICSEARCH` and `GHOST_TEST_OPENSEARCH` name (the JSON of a
//! secret), or those that `tests/servers/cluster` installs and starts.

use std::{env, sync::LazyLock};

use anyhow::{Context, Result};

use super::process;

/// A cluster to test with.
pub struct Cluster {
    /// The secret for ghost.
    pub secret: String,
    /// The port on 127.0.0.1 of a server that the tests started.
    pub port: Option<u16>,
    _server: Option<process::Server>,
}

type Found = LazyLock<Result<Cluster, String>>;

static ELASTICSEARCH: Found = LazyLock::new(|| find("elasticsearch"));
static OPENSEARCH: Found = LazyLock::new(|| find("opensearch"));

/// An Elasticsearch cluster, or why there is none. All tests of a process share it.
pub fn elasticsearch() -> Result<&'static Cluster, &'static str> {
    ELASTICSEARCH.as_ref().map_err(String::as_str)
}

/// An OpenSearch cluster, or why there is none. All tests of a process share it.
pub fn opensearch() -> Result<&'static Cluster, &'static str> {
    OPENSEARCH.as_ref().map_err(String::as_str)
}

/// The secret of the Elasticsearch cluster.
pub fn elasticsearch_secret() -> Result<&'static str, &'static str> {
    elasticsearch().map(|cluster| cluster.secret.as_str())
}

/// The secret of the OpenSearch cluster.
pub fn opensearch_secret() -> Result<&'static str, &'static str> {
    opensearch().map(|cluster| cluster.secret.as_str())
}

fn find(kind: &str) -> Result<Cluster, String> {
    let found = match env::var(format!("GHOST_TEST_{}", kind.to_uppercase())) {
        Ok(secret) => Ok(Cluster { secret, port: None, _server: None }),
        Err(_) => start(kind),
    };
    found.map_err(|error| format!("there is no {kind} to test with: {error:#}"))
}

fn start(kind: &str) -> Result<Cluster> {
    let server = process::Server::start("cluster", &[kind])?;
    let url: String = server.value("url")?;
    let port = server.port().context("the port")?;
    Ok(Cluster { secret: format!("{{\"url\":\"{url}\"}}"), port: Some(port), _server: Some(server) })
}
