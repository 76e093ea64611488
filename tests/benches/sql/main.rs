//! `g.sqldb` beside node-postgres and psql, on the PostgreSQL server of the tests, in the same run. Installs node-postgres from
//! npm into the system's folder for temporary files, and prints rows for the README.
//!
//! `cargo bench -p ghost-tests --bench sql`

use std::{env, fs, path::Path, process::Command, time::Instant};

use anyhow::{Context, Result, ensure};
use ghost_tests::{
    folder::Folder,
    machine,
    servers::postgres::{self, Own},
};
use serde_json::Value;

/// How often everything is measured, one after the other; what is shown is the median.
const ROUNDS: usize = 9;

/// What `query` reads: a name, what it is, and the statement.
const CONTENTS: [(&str, &str, &str); 7] = [
    (
        "rows",
        "10,000 rows of 5 columns",
        "select i, md5(i::text) as text, i * 1.5::float8 as number, now() as moment, i % 2 = 0 as even from generate_series(1, 10000) i",
    ),
    (
        "ascii",
        "10,000 texts of 1,000 ASCII characters",
        "select repeat('plain text ', 90) || i as text from generate_series(1, 10000) i",
    ),
    (
        "quotes",
        "10,000 texts of 1,000 characters with quotes and line breaks",
        "select repeat(E'she said \\\"no\\\"\\n', 62) || i as text from generate_series(1, 10000) i",
    ),
    (
        "latin",
        "10,000 texts of 1,000 characters with umlauts",
        "select repeat('Größe für Äpfel ', 62) || i as text from generate_series(1, 10000) i",
    ),
    (
        "utf8",
        "10,000 texts of 1,000 characters of Japanese and emoji",
        "select repeat('日本語のテキスト😀 ', 100) || i as text from generate_series(1, 10000) i",
    ),
    (
        "short",
        "100,000 texts of 20 characters with quotes",
        "select 'a \"short\" text ' || i as text from generate_series(1, 100000) i",
    ),
    ("wide", "1,000 rows of 100 columns", ""),
];

/// A number, a text and a moment in turns.
fn wide() -> String {
    let column = |at: usize| match at % 3 {
        0 => format!("i * {at} as number_{at}"),
        1 => format!("md5(i::text) as text_{at}"),
        _ => format!("now() as moment_{at}"),
    };
    let columns: Vec<_> = (0..100).map(column).collect();
    format!("select {} from generate_series(1, 1000) i", columns.join(", "))
}

/// The statements by their names.
fn contents() -> Value {
    let statement = |(name, _, sql): (&str, &str, &str)| {
        (name.to_owned(), if sql.is_empty() { wide() } else { sql.to_owned() }.into())
    };
    Value::Object(CONTENTS.map(statement).into_iter().collect())
}

fn main() -> Result<()> {
    let server = postgres::server().map_err(anyhow::Error::msg)?;
    let own = server.own.context("the figures are for a server of the tests' own")?;
    let node = install()?;
    println!("{}; median of {ROUNDS} rounds\n", machine::description()?);
    let (mut ghost, mut beside, mut psql) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ghost.push(self::ghost(own)?);
        beside.push(node_postgres(&node, own)?);
        psql.push(self::psql(own)?);
    }
    let of = |rounds: &[Value], name: &str| median(rounds.iter().filter_map(|round| round[name].as_f64()).collect());
    println!("| What | ghost | Beside | Wanted |\n|---|---|---|---|");
    for (what, name, wanted) in [
        ("100 `select pg_sleep(0.1)` at once, 50 connections", "sleeps", "300 ms"),
        ("`g.sqldb.query` of one row, one after the other", "single", ""),
    ] {
        let (ghost, beside) = (of(&ghost, name), of(&beside, name));
        println!("| {what} | {ghost:.1} ms | node-postgres {beside:.1} ms | {wanted} |");
    }
    for (name, what, _) in CONTENTS {
        let (ghost, beside) = (of(&ghost, name), of(&beside, name));
        let ratio = ghost / beside;
        println!("| `query` of {what} | {ghost:.1} ms | node-postgres {beside:.1} ms | {ratio:.2} of 1.3 |");
    }
    let (copy, psql) = (of(&ghost, "copy"), median(psql));
    println!("| `g.sqldb.copyFrom` of 100,000 rows | {copy:.0} ms | `\\copy` of psql {psql:.0} ms | 1.5 of psql |");
    Ok(())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// node-postgres, in the folder that is given back.
fn install() -> Result<std::path::PathBuf> {
    let folder = env::temp_dir().join("ghost-peers-sql");
    fs::create_dir_all(&folder)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg("pg@8");
    ensure!(npm.status().context("npm does not run: it comes with Node.js")?.success(), "npm install failed");
    fs::write(folder.join("node.mjs"), include_str!("node.mjs"))?;
    Ok(folder)
}

fn ghost(own: &Own) -> Result<Value> {
    let folder = Folder::new();
    let run = folder.script(["--input", "-"], include_str!("ghost.js")).stdin(contents().to_string());
    let finished = run.env("GHOST_SECRET_DB", &own.connection("sslmode=disable")).finish().exits(0);
    Ok(serde_json::from_str(&finished.stdout)?)
}

fn node_postgres(folder: &Path, own: &Own) -> Result<Value> {
    let connection = format!("postgres://ghost:{}@127.0.0.1:{}/postgres", own.password, own.port);
    let told =
        Command::new("node").args(["node.mjs", &connection, &contents().to_string()]).current_dir(folder).output()?;
    ensure!(told.status.success(), "node failed: {}", String::from_utf8_lossy(&told.stderr));
    Ok(serde_json::from_slice(&told.stdout)?)
}

/// The same rows from a file, in milliseconds without the start of psql.
fn psql(own: &Own) -> Result<f64> {
    let folder = Folder::new();
    let line = |i: u32| format!("{i}\tname {i}\t{}\t{}\t\\N\n", f64::from(i) / 7.0, i.is_multiple_of(2));
    folder.write("rows.txt", (0..100_000).map(line).collect::<String>());
    let run = |command: &str| -> Result<f64> {
        let start = Instant::now();
        let told = Command::new("psql")
            .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &own.connection("sslmode=disable"), "-c", command])
            .current_dir(folder.path())
            .output()
            .context("psql does not run")?;
        ensure!(told.status.success(), "psql failed: {}", String::from_utf8_lossy(&told.stderr));
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    run("truncate bench_copy")?;
    let nothing = run("select 1")?;
    Ok(run("\\copy bench_copy from 'rows.txt'")? - nothing)
}
