//! What Tantivy's merges and deletions do to each other across openings.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use tantivy::indexer::NoMergePolicy;

use super::open_index::{self, OpenIndex};
use crate::{data::log::IndexPosition, folder::Location};

fn open(folder: &Path) -> OpenIndex {
    let folder = Location::around(folder).open().unwrap();
    let lock = open_index::lock(&folder, "lock", Instant::now() + Duration::from_secs(5)).unwrap();
    OpenIndex::open(&folder, "index", lock).unwrap()
}

fn put(open_index: &mut OpenIndex, keys: &[&str]) {
    for key in keys {
        open_index.put("c", 1, key, r#"{"text":"tea"}"#).unwrap();
    }
}

fn commit(open_index: &mut OpenIndex, turn: u64) {
    open_index.commit(IndexPosition { generation: 1, turn }).unwrap();
}

#[test]
fn the_first_deletion_after_an_opening_reaches_what_is_merged() {
    let folder = tempfile::tempdir().unwrap();
    // As a process leaves it that is killed before a merge has ended: some of a segment were deleted by the last commit.
    let mut open_index = open(folder.path());
    open_index.writer.set_merge_policy(Box::new(NoMergePolicy));
    put(&mut open_index, &["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]);
    commit(&mut open_index, 1);
    put(&mut open_index, &["b1", "b2", "b3", "b4"]);
    commit(&mut open_index, 2);
    open_index.delete("c", "b1").unwrap();
    open_index.delete("c", "b2").unwrap();
    commit(&mut open_index, 3);
    drop(open_index.abandon());

    let mut open_index = open(folder.path());
    put(&mut open_index, &["b3"]);
    commit(&mut open_index, 4);
    open_index.close().unwrap();
    let open_index = open(folder.path());
    assert_eq!(open_index.view().searcher.num_docs(), 10);
    open_index.close().unwrap();
}
