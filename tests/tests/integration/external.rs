//! What the tests of external namespaces share.

use std::time::Duration;

use ghost::{Limits, Origin, RunOptions, Timeouts, secrets::Secrets};

/// The options of a run in which every name is a secret with this connection string. Connecting, and waiting for a connection, is
/// limited to 2 s.
pub fn options(connection: &str, time: Duration) -> RunOptions {
    let connection = connection.to_owned();
    let timeouts = Timeouts { connect: Duration::from_secs(2), wait: Duration::from_secs(2), ..Timeouts::default() };
    RunOptions {
        secrets: Some(Secrets::new(move |_| Ok(Some(connection.clone().into())))),
        limits: Limits { timeouts, time, ..Limits::of(Origin::Local) },
        ..RunOptions::default()
    }
}
