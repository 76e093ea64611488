//! `g.documentdb` beside MongoDB's driver for Node.js, on the mongo-java-server of the tests, in the same run. Installs the driver from
//! npm into the system's folder for temporary files, and prints rows for the README.
//!
//! `cargo bench -p ghost-tests --bench documents`

use std::{env, fs, path::Path, path::PathBuf, process::Command, time::Duration};

use anyhow::{Context, Error, Result, ensure};
use ghost_tests::{
    folder::Folder,
    machine,
    servers::{
        documentdb,
        proxy::{Fault, Proxy},
    },
};
use serde_json::{Value, json};

/// How often everything is measured, one after the other; what is shown is the median.
const ROUNDS: usize = 9;

/// What `find` reads: a collection, what is in it, and an expression for the document `i`.
const COLLECTIONS: [(&str, &str, &str); 4] = [
    (
        "orders",
        "10,000 documents of 8 members",
        "{ number: i, customer: `customer ${i % 100}`, total: i / 7, at: new Date(1.7e12 + i), open: i % 2 === 0, \
         lines: [{ product: `p${i}`, count: i % 5 }], note: null }",
    ),
    ("texts", "10,000 documents with a text of 1,000 characters", "{ text: 'plain text '.repeat(90) + i }"),
    ("longs", "10,000 documents with an int64 below 2^31", "{ number: BigInt(i), name: `n${i}` }"),
    (
        "wide",
        "1,000 documents of 100 members",
        "Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`member${at}`, i * at]))",
    ),
];

fn main() -> Result<()> {
    let connection = documentdb::java_connection().map_err(Error::msg)?;
    let port = connection.split(':').nth(2).and_then(|rest| rest.split('/').next()?.parse().ok());
    let proxy = Proxy::before(port.context("the connection string has a port")?);
    let through = format!("mongodb://127.0.0.1:{}/?directConnection=true", proxy.port);
    fill(connection);
    let node = install()?;
    println!("{}; median of {ROUNDS} rounds\n", machine::description()?);
    let names: Vec<_> = COLLECTIONS.iter().map(|(name, ..)| *name).collect();
    let (all, none): (Value, Vec<&str>) = (json!([names, false]), Vec::new());
    let slow = json!([none, true]);
    let (mut ghost, mut beside, mut ghost_slow, mut beside_slow) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ghost.push(self::ghost(connection, &all)?);
        beside.push(driver(&node, connection, &all)?);
    }
    proxy.set(Fault::Slow(Duration::from_millis(100)));
    for _ in 0..3 {
        ghost_slow.push(self::ghost(&through, &slow)?);
        beside_slow.push(driver(&node, &through, &slow)?);
    }
    println!("| What | ghost | Node.js driver | Wanted |\n|---|---|---|---|");
    let (a, b) = (median(&ghost_slow, "slow"), median(&beside_slow, "slow"));
    println!("| 100 `findOne` of 100 ms at once | {a:.0} ms | {b:.0} ms | 130 ms |");
    let (a, b) = (median(&ghost, "single"), median(&beside, "single"));
    println!("| `findOne`, one after the other | {a:.2} ms | {b:.2} ms | |");
    for (name, what, _) in COLLECTIONS {
        let (a, b) = (median(&ghost, name), median(&beside, name));
        println!("| `find` of {what} | {a:.1} ms | {b:.1} ms | {:.2} of 1.3 |", a / b);
    }
    Ok(())
}

fn median(rounds: &[Value], name: &str) -> f64 {
    let mut figures: Vec<_> = rounds.iter().filter_map(|round| round[name].as_f64()).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn fill(connection: &str) {
    let fill = |(name, what, document): (&str, &str, &str)| {
        let count = if what.starts_with("1,") { 1_000 } else { 10_000 };
        format!(
            "await g.documentdb.insertMany('docs', 'bench', '{name}', Array.from({{ length: {count} }}, (_, i) => ({document})));"
        )
    };
    let all = COLLECTIONS.map(fill).join("\n");
    let one = "await g.documentdb.insertOne('docs', 'bench', 'one', { a: 1 });";
    let script = format!("export async function main() {{ {all} {one} }}");
    let folder = Folder::new();
    folder.script([], &script).env("GHOST_SECRET_DOCS", connection).finish().exits(0);
}

/// MongoDB's driver, in the folder that is given back.
fn install() -> Result<PathBuf> {
    let folder = env::temp_dir().join("ghost-peers-documents");
    fs::create_dir_all(&folder)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg("mongodb@6");
    ensure!(npm.status().context("npm does not run: it comes with Node.js")?.success(), "npm install failed");
    fs::write(folder.join("node.mjs"), include_str!("node.mjs"))?;
    Ok(folder)
}

fn ghost(connection: &str, what: &Value) -> Result<Value> {
    let folder = Folder::new();
    let run = folder.script(["--input", "-"], include_str!("ghost.js")).stdin(what.to_string());
    let finished = run.env("GHOST_SECRET_DOCS", connection).finish().exits(0);
    Ok(serde_json::from_str(&finished.stdout)?)
}

fn driver(folder: &Path, connection: &str, what: &Value) -> Result<Value> {
    let told = Command::new("node").args(["node.mjs", connection, &what.to_string()]).current_dir(folder).output()?;
    ensure!(told.status.success(), "node failed: {}", String::from_utf8_lossy(&told.stderr));
    Ok(serde_json::from_slice(&told.stdout)?)
}
