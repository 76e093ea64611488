//! A host that calls methods of `g.objectstore` in a folder.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use ghost::{Failure, Host, RunOptions, Script};
use ghost_tests::folder::Folder;
use serde_json::{Value, json};

use crate::external;

/// A host, a secret, and a folder for local files.
pub struct Caller {
    host: Host,
    script: Script,
    connection: String,
    pub folder: Folder,
    /// The time of a run.
    pub time: Duration,
}

/// How a call ended.
#[derive(Debug)]
pub struct Reported {
    /// What it returned, or the error with its code, message and details.
    pub outcome: Result<Value, Value>,
    /// Whether the run ended by its time limit.
    pub is_late: bool,
    /// The time of the whole run.
    pub elapsed: Duration,
}

impl Reported {
    /// The code of the error; empty for a result, `TIMEOUT` for a run that ended by its time limit.
    pub fn code(&self) -> &str {
        match &self.outcome {
            _ if self.is_late => "TIMEOUT",
            Ok(_) => "",
            Err(error) => error["code"].as_str().unwrap_or("an error without a code"),
        }
    }
}

impl Caller {
    pub async fn new(connection: impl Into<String>) -> Self {
        let host = Host::new().expect("a host");
        let source = "export const main = async (method, parameters) => {
            try {
              return { result: (await g.objectstore[method]('db', ...parameters)) ?? null };
            } catch ({ code, message, details, stack }) {
              return { error: { code, message, details, stack } };
            }
        };";
        let script = Script::from_source(&host, "call.js", source).await.expect("it compiles");
        Self { host, script, connection: connection.into(), folder: Folder::new(), time: Duration::from_secs(60) }
    }

    /// The same with another time limit for a run.
    pub fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    fn options(&self, arguments: Vec<String>, directory: Option<PathBuf>) -> RunOptions {
        RunOptions { arguments, directory, ..external::options(&self.connection, self.time) }
    }

    /// Calls a method with its parameters after `conn`.
    pub async fn call(&self, method: &str, parameters: Value) -> Reported {
        self.call_in(Some(self.folder.path().to_path_buf()), method, parameters).await
    }

    /// The same with another folder for local files, or with none.
    pub async fn call_in(&self, directory: Option<PathBuf>, method: &str, parameters: Value) -> Reported {
        let options = self.options(vec![json!(method).to_string(), parameters.to_string()], directory);
        let start = Instant::now();
        let outcome = self.host.run(&self.script, options).await;
        let elapsed = start.elapsed();
        match outcome.result {
            Err(Failure::Time { .. }) => Reported { outcome: Err(Value::Null), is_late: true, elapsed },
            ended => {
                let text = ended.expect("the run ends").expect("it returns something");
                let mut reported: Value = serde_json::from_str(&text).expect("it is JSON");
                let outcome = match reported.get_mut("error") {
                    Some(error) => Err(error.take()),
                    None => Ok(reported["result"].take()),
                };
                Reported { outcome, is_late: false, elapsed }
            }
        }
    }

    /// Calls a method that must succeed.
    pub async fn does(&self, method: &str, parameters: Value) -> Value {
        let reported = self.call(method, parameters.clone()).await;
        match reported.outcome {
            Ok(result) if !reported.is_late => result,
            other => panic!("{method}{parameters}: {other:?}"),
        }
    }
}
