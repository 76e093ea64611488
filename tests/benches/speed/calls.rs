//! Calls of `g.store` and `g.queue`, from a script.

use std::time::Duration;

use anyhow::Result;
use ghost::{
    Instances, RunOptions,
    workspace::{Create, Workspace},
};
use ghost_tests::folder::Folder;
use serde_json::Value;

use crate::{Row, runs::Warm};

/// Runs a script with a workspace in `folder`: what it returned, and its time up to the last byte on disk.
pub fn script(folder: &Folder, source: &str) -> Result<(Value, Duration)> {
    let warm = Warm::new(Instances::OnDemand, source)?;
    let workspace = Some(Workspace::at(folder.path(), Create::AtFirstUse));
    let (result, time) = warm.run(RunOptions { workspace, ..RunOptions::default() })?;
    Ok((serde_json::from_str(&result)?, time))
}

/// The cheapest call there is.
pub fn bare() -> Result<Vec<Row>> {
    let source = "export function main() { g.store.count('c'); const start = performance.now(); \
                  for (let i = 0; i < 500_000; i++) g.store.count('c'); return (performance.now() - start) / 500_000 * 1e6; }";
    let (nanoseconds, _) = script(&Folder::new(), source)?;
    Ok(vec![Row {
        what: "a bare host call, `g.store.count` of an empty collection".into(),
        measured: format!("{:.0} ns", nanoseconds.as_f64().unwrap_or(f64::NAN)),
        beside: String::new(),
        wanted: "",
    }])
}

/// Documents of 200 bytes are stored: what the writer of their JSON takes shows here. `JSON.stringify` of the same is beside.
pub fn put() -> Result<Vec<Row>> {
    let source = "const doc = { id: 12345, name: 'Ada Lovelace', born: 1815, tags: ['mathematician', 'writer'], score: 0.75, active: true, \
                  address: { city: 'London', zip: 'W1' }, text: 'x'.repeat(48) };\n\
                  const time = (call) => { const start = performance.now(); for (let i = 0; i < 200_000; i++) call(i); \
                  return (performance.now() - start) / 200; };\n\
                  export function main() { JSON.stringify(doc); return { put: time((i) => g.store.put('c', `key${i % 1000}`, doc)), \
                  stringify: time(() => JSON.stringify(doc)), bytes: JSON.stringify(doc).length }; }";
    let (times, _) = script(&Folder::new(), source)?;
    Ok(vec![Row {
        what: format!("`g.store.put` of {} bytes", times["bytes"]),
        measured: format!("{:.2} µs", number(&times, "put")),
        beside: format!("`JSON.stringify` of it {:.2} µs", number(&times, "stringify")),
        wanted: "",
    }])
}

/// The first page of a large collection, in every order.
pub fn list() -> Result<Vec<Row>> {
    let folder = Folder::new();
    let fill = "export function main() { for (let i = 0; i < 1_000_000; i++) g.store.put('c', `key${i}`, { i, text: 'some text' }); return 1; }";
    script(&folder, fill)?;
    let source = "export function main() { const times = {}; for (const sort of ['key', 'createdAt', 'updatedAt']) { \
                  const start = performance.now(); for (let i = 0; i < 100; i++) g.store.list('c', { sort }); \
                  times[sort] = (performance.now() - start) / 100; } return times; }";
    let (times, _) = script(&folder, source)?;
    let shown = ["updatedAt", "createdAt", "key"].map(|sort| format!("{sort} {:.2} ms", number(&times, sort)));
    Ok(vec![Row {
        what: "`g.store.list` of 100 among 1,000,000".into(),
        measured: shown.join(", "),
        beside: String::new(),
        wanted: "5 ms",
    }])
}

/// An item goes through a queue, in one that is empty and in one of 1,000,000.
pub fn queue() -> Result<Vec<Row>> {
    const CYCLES: u32 = 100_000;
    let source = format!(
        "export function main() {{ const data = {{ text: 'x'.repeat(180), n: 1 }}; const start = performance.now(); \
         for (let i = 0; i < {CYCLES}; i++) {{ g.queue.enqueue('q', data); g.queue.commit(g.queue.dequeue('q').id); }} \
         return performance.now() - start; }}"
    );
    let folder = Folder::new();
    let (empty, _) = script(&folder, &source)?;
    let fill = "export function main() { for (let i = 0; i < 1_000_000; i++) g.queue.enqueue('q', { i, text: 'some text' }); return 1; }";
    script(&folder, fill)?;
    let (full, _) = script(&folder, &source)?;
    let a_second = |took: &Value| f64::from(CYCLES) / took.as_f64().unwrap_or(f64::NAN) * 1_000.0;
    Ok(vec![Row {
        what: "`g.queue` enqueue + dequeue + commit, a second".into(),
        measured: format!("{:.0}; with 1,000,000 items {:.0}", a_second(&empty), a_second(&full)),
        beside: String::new(),
        wanted: "25,000",
    }])
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or(f64::NAN)
}
