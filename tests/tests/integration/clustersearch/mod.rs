//! `g.clustersearch` beyond what one script sees.

mod bulk;
mod caller;
mod deadlines;
mod hostile;
mod leaks;
mod login;
mod network_faults;
mod versions;

use ghost_tests::servers::{cluster, or_skip};

/// The port of an Elasticsearch that the tests started. Without one the test is skipped.
fn elasticsearch() -> Option<u16> {
    or_skip(cluster::elasticsearch())?.port
}

/// The port of an OpenSearch that the tests started. Without one the test is skipped.
fn opensearch() -> Option<u16> {
    or_skip(cluster::opensearch())?.port
}
