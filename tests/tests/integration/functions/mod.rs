//! The functions that a program adds to `g`.

mod calls;
mod effects;
mod faults;

use ghost::{Failure, Host, Origin, Outcome, RunOptions, functions::Functions};
use serde_json::Value;

use crate::library;

/// A host with functions.
fn host(functions: Functions) -> Host {
    Host::builder().functions(functions).build().expect("the names are allowed")
}

/// Runs a script, whose last statement is a `return`.
async fn run_with(host: &Host, body: &str, options: RunOptions) -> Outcome {
    let source = format!("export async function main() {{\n{body}\n}}");
    library::run(host, &source, options).await
}

async fn run(host: &Host, body: &str) -> Result<Value, Failure> {
    let result = run_with(host, body, RunOptions::of(Origin::Local)).await.result?;
    Ok(result.map_or(Value::Null, |json| serde_json::from_str(&json).expect("a result is JSON")))
}

/// Returns the fields of the error that an expression throws, or its value.
fn caught(expression: &str) -> String {
    format!(
        "try {{ return await ({expression}); }} catch (e) {{
  return [e.constructor.name, e.code, e.namespace, e.method, e.message, e.details ?? null];
}}"
    )
}
