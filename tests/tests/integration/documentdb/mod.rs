//! `g.documentdb` beyond what one script sees.

mod cut_calls;
mod network_faults;
mod round_trip;
mod secrets;

use std::time::Duration;

use ghost::{Host, Limits, Origin, Outcome, RunOptions, Script, Timeouts, secrets::Secrets};

/// A host with a script, and the connection string of its secret `docs`.
struct Caller {
    host: Host,
    script: Script,
    connection: String,
}

impl Caller {
    async fn new(connection: String, source: &str) -> Self {
        let host = Host::new().expect("a host");
        let script = host.compile("call.js", source).await.expect("it compiles");
        Self { host, script, connection }
    }

    /// Runs the script with one argument, for at most this time.
    async fn run(&self, argument: &serde_json::Value, time: Duration) -> Outcome {
        let connection = self.connection.clone();
        let timeouts =
            Timeouts { connect: Duration::from_secs(2), wait: Duration::from_secs(2), ..Timeouts::default() };
        let options = RunOptions {
            arguments: vec![argument.to_string()],
            secrets: Some(Secrets::new(move |_| Ok(Some(connection.clone().into())))),
            limits: Limits { timeouts, time, ..Limits::of(Origin::Local) },
            ..RunOptions::default()
        };
        self.host.run(&self.script, options).await
    }
}
