//! `g.clustersearch` compared with the official client of Elasticsearch for Node.js, on the clusters of the tests, in the same
//! run. Installs the client from npm into the system's folder for temporary files, and prints rows for the README.
//!
//! `cargo bench -p ghost-tests --bench cluster`

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Error, Result, ensure};
use ghost_tests::{
    folder::Folder,
    machine,
    servers::{
        cluster,
        gateway::{Gateway, Reply},
    },
};
use serde_json::{Value, json};

/// How often everything is measured, one after the other; the median is shown.
const ROUNDS: usize = 7;

/// What a cluster says about itself.
const INFO: &str = r#"{"name":"n","cluster_name":"c","cluster_uuid":"u","version":{"number":"7.17.29","build_flavor":"default"},"tagline":"You Know, for Search"}"#;

fn main() -> Result<()> {
    let port = cluster::elasticsearch().map_err(Error::msg)?.port;
    let port = port.context("the figures are for a server of the tests' own")?;
    let node = install()?;
    println!("{}; median of {ROUNDS} rounds\n", machine::description()?);
    let (mut ghost, mut official) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ghost.push(self::ghost(port, "documents")?);
        official.push(official_client(&node, port, "documents")?);
    }
    let slow = Gateway::plain(port);
    // The official client requires the product's header.
    slow.rule(|_| {
        Reply::OwnLater(
            Duration::from_millis(100),
            200,
            "application/json\r\nx-elastic-product: Elasticsearch",
            INFO.to_owned(),
        )
    });
    let (mut ghost_calls, mut official_calls) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ghost_calls.push(self::ghost(slow.port, "at once")?);
        official_calls.push(official_client(&node, slow.port, "at once")?);
    }
    println!("| What | ghost | Official client | Wanted |\n|---|---|---|---|");
    for (what, name, wanted) in [
        ("`bulk` of 100,000 documents", "bulk", "1.2"),
        ("`search` of 10,000 hits", "hits", "1.3"),
        ("`get`, one after the other", "single", ""),
    ] {
        row(what, median(&ghost, name), median(&official, name), wanted);
    }
    row("100 calls of 100 ms at once", median(&ghost_calls, "calls"), median(&official_calls, "calls"), "130 ms");
    Ok(())
}

fn row(what: &str, ghost: f64, official: f64, wanted: &str) {
    println!("| {what} | {ghost:.1} ms | {official:.1} ms | {:.2}, wanted {wanted} |", ghost / official);
}

fn median(rounds: &[Value], name: &str) -> f64 {
    let mut figures: Vec<_> = rounds.iter().filter_map(|round| round[name].as_f64()).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Installs the client. Returns its folder.
fn install() -> Result<PathBuf> {
    let folder = env::temp_dir().join("ghost-peers-cluster");
    fs::create_dir_all(&folder)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&folder)
        .arg("@elastic/elasticsearch@7.17");
    ensure!(npm.status().context("npm does not run: it comes with Node.js")?.success(), "npm install failed");
    fs::write(folder.join("node.mjs"), include_str!("node.mjs"))?;
    Ok(folder)
}

fn ghost(port: u16, kind: &str) -> Result<Value> {
    let folder = Folder::new();
    let run = folder.script(["--input", &json!(kind).to_string()], include_str!("ghost.js"));
    let secret = json!({ "url": format!("http://127.0.0.1:{port}") }).to_string();
    let finished = run.env("GHOST_SECRET_CLUSTER", &secret).finish().exits(0);
    Ok(serde_json::from_str(&finished.stdout)?)
}

fn official_client(folder: &Path, port: u16, kind: &str) -> Result<Value> {
    let mut node = Command::new("node");
    let finished = node.args(["node.mjs", &format!("http://127.0.0.1:{port}"), kind]).current_dir(folder).output()?;
    ensure!(finished.status.success(), "node failed: {}", String::from_utf8_lossy(&finished.stderr));
    Ok(serde_json::from_slice(&finished.stdout)?)
}
