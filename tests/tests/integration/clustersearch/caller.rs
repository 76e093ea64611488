//! Runs scripts with a secret, as a host does.

use std::time::{Duration, Instant};

use ghost::{Failure, Host, Script};
use serde_json::{Value, json};

use crate::external;

/// A host with one secret, `cluster`.
pub struct Caller {
    host: Host,
    secret: String,
    time: Duration,
}

/// What a call gave: its value, or the code and the message of its error.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    Value(Value),
    Error {
        code: String,
        message: String,
        details: Value,
    },
    /// The time of the run was over.
    Time,
}

impl Given {
    /// The code and the message of an error.
    #[track_caller]
    pub fn error(&self) -> (&str, &str) {
        match self {
            Self::Error { code, message, .. } => (code, message),
            other => panic!("it should be an error, and is {other:?}"),
        }
    }

    /// The value.
    #[track_caller]
    pub fn value(&self) -> &Value {
        match self {
            Self::Value(value) => value,
            other => panic!("it should be a value, and is {other:?}"),
        }
    }

    /// A member of the details of an error.
    #[track_caller]
    pub fn detail(&self, name: &str) -> &Value {
        match self {
            Self::Error { details, .. } => &details[name],
            other => panic!("it should be an error, and is {other:?}"),
        }
    }
}

impl Caller {
    pub fn new(secret: &Value) -> Self {
        Self { host: Host::new().expect("a host"), secret: secret.to_string(), time: Duration::from_secs(20) }
    }

    /// One for a server on a port of 127.0.0.1 in plain text.
    pub fn plain(port: u16) -> Self {
        Self::new(&json!({ "url": format!("http://127.0.0.1:{port}") }))
    }

    /// One whose runs have this time.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// The value of an expression, which may be a promise, and how long the run took.
    pub async fn timed(&self, expression: &str) -> (Given, Duration) {
        let source = format!(
            "export const main = async () => {{
                try {{ return {{ value: await ({expression}) }}; }}
                catch (error) {{ return {{ code: error.code ?? error.name, message: error.message, details: error.details ?? null }}; }}
            }};"
        );
        let script = Script::from_source(&self.host, "call.js", &source).await.expect("it compiles");
        let start = Instant::now();
        let outcome = self.host.run(&script, external::options(&self.secret, self.time)).await;
        let elapsed = start.elapsed();
        let given = match outcome.result {
            Err(Failure::Time { .. }) => Given::Time,
            result => {
                let text =
                    result.unwrap_or_else(|error| panic!("{expression}: {error:?}")).expect("it gives something");
                let mut given: Value = serde_json::from_str(&text).expect("it is JSON");
                match given["code"].as_str().map(ToOwned::to_owned) {
                    None => Given::Value(given["value"].take()),
                    Some(code) => Given::Error {
                        code,
                        message: given["message"].as_str().unwrap_or_default().to_owned(),
                        details: given["details"].take(),
                    },
                }
            }
        };
        (given, elapsed)
    }

    /// The value of an expression, which may be a promise.
    pub async fn call(&self, expression: &str) -> Given {
        self.timed(expression).await.0
    }
}

/// One call of each method that reaches the server.
pub fn each_method(index: &str) -> [(&'static str, String); 8] {
    [
        ("ping", "g.clustersearch.ping('cluster')".to_owned()),
        ("info", "g.clustersearch.info('cluster')".to_owned()),
        ("createIndex", format!("g.clustersearch.createIndex('cluster', '{index}')")),
        ("deleteIndex", format!("g.clustersearch.deleteIndex('cluster', '{index}')")),
        ("index", format!("g.clustersearch.index('cluster', '{index}', '1', {{ n: 1 }})")),
        ("get", format!("g.clustersearch.get('cluster', '{index}', '1')")),
        ("bulk", format!("g.clustersearch.bulk('cluster', '{index}', [{{ n: 1 }}, {{ n: 2 }}])")),
        ("search", format!("g.clustersearch.search('cluster', '{index}', {{}})")),
    ]
}
