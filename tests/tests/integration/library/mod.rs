//! The library, as other programs embed it.

mod callbacks;
mod examples;
mod limits;
mod scripts;
mod tenants;

use ghost::{Host, Outcome, RunOptions, Script};

/// Compiles and runs a script.
pub async fn run(host: &Host, source: &str, options: RunOptions) -> Outcome {
    let script = Script::from_source(host, "script.js", source).await.expect("it compiles");
    host.run(&script, options).await
}
