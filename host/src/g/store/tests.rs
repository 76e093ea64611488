//! The store without a script: bounds, orders, what is left after `clear`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tempfile::{TempDir, tempdir};

use super::{ListOptions, Sort, Times, clear, collections, count, delete, get, list, list::page, put, put_at};
use crate::{
    Error, ErrorCode,
    workspace::{Create, Session, Tables, Workspace, failed},
};

struct Fixture {
    _folder: TempDir,
    session: Session,
    clock: Arc<AtomicU64>,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempdir().unwrap();
        let clock = Arc::new(AtomicU64::new(1_000));
        let time = Arc::clone(&clock);
        let workspace =
            Workspace::with_clock(folder.path(), Create::AtFirstUse, Arc::new(move || time.load(Ordering::Relaxed)));
        let session = workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}));
        Self { _folder: folder, session, clock }
    }

    fn at(&self, time: u64) {
        self.clock.store(time, Ordering::Relaxed);
    }

    fn call<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> T {
        self.session.write(f).unwrap()
    }

    fn put(&mut self, key: &str, data: &str) {
        self.call(|t| put(t, "c", key, data));
    }

    fn refusal(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<(), Error>) -> String {
        let error = self.session.write(f).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        error.message
    }

    fn keys(&mut self, sort: Sort, descending: bool, limit: u32, offset: u32) -> Vec<String> {
        let options = ListOptions { limit, offset, sort, descending };
        self.call(|t| list(t, "c", &options)).into_iter().map(|document| document.key).collect()
    }
}

#[test]
fn what_is_out_of_bounds_is_refused() {
    let mut store = Fixture::new();
    let long = "k".repeat(3_000);
    assert_eq!(store.refusal(|t| put(t, "c", &long, "1")), "key is 3000 bytes, the limit is 2048");
    assert_eq!(store.refusal(|t| put(t, &long, "k", "1")), "collection is 3000 bytes, the limit is 255");
    assert_eq!(store.refusal(|t| put(t, "", "k", "1")), "collection must not be empty");
    assert_eq!(store.refusal(|t| get(t, "c", "").map(drop)), "key must not be empty");
    assert_eq!(store.refusal(|t| delete(t, "c", "é\u{7}").map(drop)), "key contains a control character at byte 2");
    assert_eq!(store.refusal(|t| count(t, "\u{85}").map(drop)), "collection contains a control character at byte 0");
    assert_eq!(store.refusal(|t| clear(t, "")), "collection must not be empty");
    assert_eq!(store.refusal(|t| list(t, "", &ListOptions::default()).map(drop)), "collection must not be empty");
    let large = format!("\"{}\"", "x".repeat(16 << 20));
    assert_eq!(store.refusal(|t| put(t, "c", "k", &large)), "data is 16777218 bytes, the limit is 16777216");
    for data in ["", "{", "undefined", "1 2", "'a'"] {
        assert_eq!(store.refusal(|t| put(t, "c", "k", data)), "data is not JSON");
    }
    assert!(store.call(collections).is_empty());
}

#[test]
fn what_is_just_within_bounds_is_stored() {
    let mut store = Fixture::new();
    let (collection, key) = ("c".repeat(255), "k".repeat(2_048));
    let data = format!("\"{}\"", "x".repeat((16 << 20) - 2));
    store.call(|t| put(t, &collection, &key, &data));
    assert_eq!(store.call(|t| get(t, &collection, &key)).unwrap().data, data);
}

#[test]
fn any_json_is_stored_as_it_is() {
    let mut store = Fixture::new();
    let deep = "[".repeat(1_000) + &"]".repeat(1_000);
    for data in ["null", "0.1", "1e999", "\"\\ud800\"", "{\"a\":1,\"a\":2}", " [ ] ", "\"é😀\"", &deep] {
        store.put("k", data);
        assert_eq!(store.call(|t| get(t, "c", "k")).unwrap().data, data);
    }
}

#[test]
fn putting_again_replaces_the_data_and_keeps_the_creation_time() {
    let mut store = Fixture::new();
    store.put("k", "1");
    store.at(2_000);
    store.put("k", "2");
    let document = store.call(|t| get(t, "c", "k")).unwrap();
    assert_eq!(document.data, "2");
    assert_eq!(document.created.to_iso(), "1970-01-01T00:00:01.000Z");
    assert_eq!(document.updated.to_iso(), "1970-01-01T00:00:02.000Z");
    assert_eq!(store.call(|t| count(t, "c")), 1);
}

#[test]
fn a_list_is_ordered_by_what_was_asked_for() {
    let mut store = Fixture::new();
    for key in ["b", "é", "a", "B"] {
        store.put(key, "1");
    }
    store.at(999); // a clock that was set back
    store.put("d", "1");
    store.at(3_000);
    store.put("b", "2");
    assert_eq!(store.keys(Sort::Key, false, 9, 0), ["B", "a", "b", "d", "é"]);
    assert_eq!(store.keys(Sort::Key, true, 9, 0), ["é", "d", "b", "a", "B"]);
    assert_eq!(store.keys(Sort::CreatedAt, false, 9, 0), ["d", "b", "é", "a", "B"]);
    assert_eq!(store.keys(Sort::UpdatedAt, false, 9, 0), ["d", "é", "a", "B", "b"]);
    assert_eq!(store.keys(Sort::UpdatedAt, true, 9, 0), ["b", "B", "a", "é", "d"]);
    assert_eq!(store.keys(Sort::UpdatedAt, true, 2, 1), ["B", "a"]);
    assert_eq!(store.keys(Sort::UpdatedAt, true, 2, 5), [""; 0]);
    assert_eq!(store.keys(Sort::Key, true, 0, 0), [""; 0]);
    assert_eq!(store.keys(Sort::Key, false, u32::MAX, u32::MAX), [""; 0]);
}

#[test]
fn a_page_has_a_limit_in_bytes() {
    let mut store = Fixture::new();
    store.put("a", "\"12345678\"");
    store.put("b", "\"12345678\"");
    let options = ListOptions::default();
    assert_eq!(store.call(|t| page(&mut t.store, "c", &options, 20).map_err(failed)).unwrap().len(), 2);
    assert_eq!(store.call(|t| page(&mut t.store, "c", &options, 19).map_err(failed)), None);

    let large = format!("\"{}\"", "x".repeat(15 << 20));
    (0..5).for_each(|index| store.put(&index.to_string(), &large));
    let error = store.session.read(|t| list(t, "c", &options)).unwrap_err();
    assert_eq!(error.code, ErrorCode::Limit);
    assert_eq!(error.message, "the page is larger than 64 MiB: ask for fewer documents with limit");
    assert!(!error.ends_run());
}

#[test]
fn a_collection_is_there_while_it_holds_a_document() {
    let mut store = Fixture::new();
    for collection in ["b", "a", "é", "Z"] {
        store.call(|t| put(t, collection, "k", "1"));
    }
    assert_eq!(store.call(collections), ["Z", "a", "b", "é"]);
    assert!(store.call(|t| delete(t, "a", "k")));
    assert!(!store.call(|t| delete(t, "a", "k")));
    store.call(|t| clear(t, "b"));
    store.session.finish().unwrap();
    assert_eq!(store.call(collections), ["Z", "é"]);
    assert_eq!(store.call(|t| count(t, "b")), 0);
}

#[test]
fn counts_are_right_with_more_collections_than_are_kept_in_memory() {
    let mut store = Fixture::new();
    for round in 0..3 {
        for index in 0..1_500 {
            store.call(|t| put(t, &format!("c{index}"), &round.to_string(), "1"));
        }
    }
    for index in 0..1_500 {
        assert_eq!(store.call(|t| count(t, &format!("c{index}"))), 3);
    }
    assert_eq!(store.call(collections).len(), 1_500);
}

#[test]
fn what_was_cleared_is_gone_at_once_and_its_rows_later() {
    let mut store = Fixture::new();
    for index in 0..5_000 {
        store.put(&index.to_string(), "1");
    }
    store.session.finish().unwrap();
    store.call(|t| clear(t, "c"));
    assert_eq!(store.call(|t| count(t, "c")), 0);
    assert_eq!(store.keys(Sort::Key, false, 9, 0), [""; 0]);
    store.put("new", "1");
    assert_eq!(store.keys(Sort::UpdatedAt, false, 9, 0), ["new"]);
    let deadline = Instant::now() + Duration::from_secs(30);
    let rows = loop {
        let (untidy, rows) = store.call(|t| Ok((t.store.is_untidy(), t.store.rows())));
        if !untidy || Instant::now() > deadline {
            break rows;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(rows, [1, 1, 1]);
    assert_eq!(store.keys(Sort::Key, false, 9, 0), ["new"]);
}

#[test]
fn a_damaged_number_of_what_was_cleared_removes_no_row() {
    let mut store = Fixture::new();
    for collection in ["one", "two", "three"] {
        store.call(|t| put(t, collection, "k", "1"));
    }
    let (tidied, rows) = store.call(|t| {
        clear(t, "three")?;
        let cleared = t.store.cleared.pop_first().map_err(failed)?;
        let (number, sum) = cleared.map(|(number, sum)| (number.value(), sum.value())).unwrap();
        t.store.cleared.insert(number ^ 2, sum).map_err(failed)?;
        Ok((t.store.tidy(Instant::now()), t.store.rows()))
    });
    assert!(matches!(tidied, Err(redb::Error::Corrupted(_))), "{tidied:?}");
    assert_eq!(rows, [3, 3, 3]);
}

#[test]
fn no_document_is_updated_before_it_was_created() {
    let mut store = Fixture::new();
    let times = |store: &mut Fixture| {
        let document = store.call(|t| get(t, "c", "k")).unwrap();
        (document.created.time, document.updated.time)
    };
    store.put("k", "1");
    store.at(400);
    store.put("k", "2");
    assert_eq!(times(&mut store), (1_000, 1_000), "the clock went back");
    store.at(2_000);
    store.put("k", "3");
    assert_eq!(times(&mut store), (1_000, 2_000));

    let earlier = Times { updated: Some(999), created: None };
    let refusal = store.refusal(|t| put_at(t, "c", "k", "4", earlier));
    assert_eq!(refusal, "createdAt is later than updatedAt");
    let crossed = Times { updated: Some(1), created: Some(2) };
    store.refusal(|t| put_at(t, "new", "k", "4", crossed));
    assert_eq!(store.call(collections), ["c"]);
    assert_eq!(times(&mut store), (1_000, 2_000));

    store.call(|t| put_at(t, "c", "k", "5", Times { updated: Some(999), created: Some(998) }));
    assert_eq!(times(&mut store), (998, 999));
    store.call(|t| put_at(t, "c", "k", "6", Times { updated: None, created: Some(3_000) }));
    assert_eq!(times(&mut store), (3_000, 3_000));
}
