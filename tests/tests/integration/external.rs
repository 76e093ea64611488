//! What the tests of external namespaces share.

use std::time::Duration;

use ghost::{Limits, Origin, RunOptions, Timeouts, secrets::Secrets};

/// A script that makes these calls, all of which fail, and shows everything that a script, a terminal and a log can see of a
/// failure. In the end it fails with the first of them.
pub fn failing(calls: &[&str]) -> String {
    let calls: String = calls.iter().map(|call| format!("() => {call}, ")).collect();
    format!(
        "export async function main() {{
  const calls = [{calls}];
  for (const call of calls) {{
    try {{
      await call();
      console.log('no failure');
    }} catch (error) {{
      console.error(error, String(error), error.stack, JSON.stringify(error), JSON.stringify(error.details), Object.getOwnPropertyNames(error));
      console.log(error.code, error.message);
    }}
  }}
  await calls[0]();
}}"
    )
}

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
