//! `g.documentdb` beyond what one script sees.

mod cut_calls;
mod network_faults;
mod round_trip;
mod secrets;

use std::time::Duration;

use ghost::{Host, Outcome, RunOptions, Script};

use crate::external;

/// A host with a script, and the connection string of its secret `docs`.
struct Caller {
    host: Host,
    script: Script,
    connection: String,
}

impl Caller {
    async fn new(connection: String, source: &str) -> Self {
        let host = Host::new().expect("a host");
        let script = Script::from_source(&host, "call.js", source).await.expect("it compiles");
        Self { host, script, connection }
    }

    /// Runs the script with one argument, for at most this time.
    async fn run(&self, argument: &serde_json::Value, time: Duration) -> Outcome {
        let arguments = vec![argument.to_string()];
        let options = RunOptions { arguments, ..external::options(&self.connection, time) };
        self.host.run(&self.script, options).await
    }
}
