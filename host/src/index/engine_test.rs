//! What Tantivy's merges and deletions do to each other across openings.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use tantivy::indexer::NoMergePolicy;

use super::engine::{self, Engine};
use crate::{data::log::IndexPosition, folder::Location};

fn open(folder: &Path) -> Engine {
    let folder = Location::around(folder).open().unwrap();
    let lock = engine::lock(&folder, "lock", Instant::now() + Duration::from_secs(5)).unwrap();
    Engine::open(&folder, "index", lock).unwrap()
}

fn put(engine: &mut Engine, keys: &[&str]) {
    for key in keys {
        engine.put("c", 1, key, r#"{"text":"tea"}"#).unwrap();
    }
}

fn commit(engine: &mut Engine, turn: u64) {
    engine.commit(IndexPosition { generation: 1, turn }).unwrap();
}

#[test]
fn the_first_deletion_after_an_opening_reaches_what_is_merged() {
    let folder = tempfile::tempdir().unwrap();
    // As a process leaves it that is killed before a merge has ended: some of a segment were deleted by the last commit.
    let mut engine = open(folder.path());
    engine.writer.set_merge_policy(Box::new(NoMergePolicy));
    put(&mut engine, &["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]);
    commit(&mut engine, 1);
    put(&mut engine, &["b1", "b2", "b3", "b4"]);
    commit(&mut engine, 2);
    engine.delete("c", "b1").unwrap();
    engine.delete("c", "b2").unwrap();
    commit(&mut engine, 3);
    drop(engine.abandon());

    let mut engine = open(folder.path());
    put(&mut engine, &["b3"]);
    commit(&mut engine, 4);
    engine.close().unwrap();
    let engine = open(folder.path());
    assert_eq!(engine.view().searcher.num_docs(), 10);
    engine.close().unwrap();
}
