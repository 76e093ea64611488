//! Tests of the store without a script: limits, orders, and the rows that remain after `clear`.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use redb::ReadableTable;
use tempfile::{TempDir, tempdir};

use super::{
    AllOptions, ListOptions, Sort, Times, all, clear, collections, count, delete, get,
    list::{self, list, page},
    put, put_at, update,
};
use crate::{
    Error, ErrorCode,
    data::{TableSet, Tables, failed},
    workspace::{Create, Session, Workspace},
};

/// The check of a run whose time is never over.
const ALWAYS: &dyn Fn() -> Result<(), Error> = &|| Ok(());

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
        self.session.call(f).unwrap()
    }

    fn put(&mut self, key: &str, data: &str) {
        self.call(|t| put(t, "c", key, data));
    }

    fn refusal(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<(), Error>) -> String {
        let error = self.session.call(f).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        error.message
    }

    fn keys(&mut self, sort: Sort, descending: bool, limit: u32, offset: u32) -> Vec<String> {
        let options = ListOptions { limit, offset, sort, descending, ..ListOptions::default() };
        self.call(|t| list(t, "c", &options, ALWAYS)).into_iter().map(|document| document.key).collect()
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
    assert_eq!(
        store.refusal(|t| list(t, "", &ListOptions::default(), ALWAYS).map(drop)),
        "collection must not be empty"
    );
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
    assert_eq!(store.call(|t| page(&mut t.store, "c", &options, 20, ALWAYS)).len(), 2);
    let refused = store.session.call(|t| page(&mut t.store, "c", &options, 19, ALWAYS)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Limit);

    let large = format!("\"{}\"", "x".repeat(15 << 20));
    (0..5).for_each(|index| store.put(&index.to_string(), &large));
    let error = store.session.call(|t| list(t, "c", &options, ALWAYS)).unwrap_err();
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
        let (untidy, rows) = store.call(|t| Ok((t.store.needs_purge(), t.store.rows())));
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
        let cleared = t.store.cleared.first().map_err(failed)?;
        let (number, sum) = cleared.map(|(number, sum)| (number.value(), sum.value())).unwrap();
        t.store.cleared.remove(number).map_err(failed)?;
        t.store.cleared.insert(number ^ 2, sum).map_err(failed)?;
        Ok((t.store.purge(Instant::now()), t.store.rows()))
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

#[test]
fn a_part_of_the_keys_is_listed_where_it_begins() {
    let mut store = Fixture::new();
    let long = "p".repeat(2_048);
    for key in ["a", "b", "b/1", "b/2", "b/3", "c", "\u{10ffff}", "\u{10ffff}\u{10ffff}", "\u{10ffff}x", &long] {
        store.put(key, "1");
    }
    store.call(|t| put(t, "d", "b/4", "1"));
    let mut keys = |prefix: &str, after: &str, descending, limit, offset| {
        let given = |text: &str| Some(text.to_owned()).filter(|text| text != "-");
        let (prefix, after) = (given(prefix), given(after));
        let options = ListOptions { limit, offset, sort: Sort::Key, descending, prefix, after };
        let page = store.call(|t| list(t, "c", &options, ALWAYS));
        page.into_iter().map(|document| document.key).collect::<Vec<_>>()
    };
    assert_eq!(keys("b/", "-", false, 9, 0), ["b/1", "b/2", "b/3"]);
    assert_eq!(keys("b/", "-", true, 2, 1), ["b/2", "b/1"]);
    assert_eq!(keys("b/", "b/1", false, 9, 0), ["b/2", "b/3"]);
    assert_eq!(keys("b/", "b/2", true, 9, 0), ["b/1"]);
    assert_eq!(keys("b/", "b/15", false, 1, 1), ["b/3"]);
    assert_eq!(keys("b/", "a", false, 1, 0), ["b/1"]);
    assert_eq!(keys("b/", "a", true, 9, 0), [""; 0]);
    assert_eq!(keys("b/", "z", false, 9, 0), [""; 0]);
    assert_eq!(keys("b/", "z", true, 1, 0), ["b/3"]);
    assert_eq!(keys("", "c", false, 1, 0), [&*long]);
    assert_eq!(keys(&long, "-", false, 9, 0), [&*long]);
    assert_eq!(keys("\u{10ffff}", "-", false, 9, 1), ["\u{10ffff}x", "\u{10ffff}\u{10ffff}"]);
    assert_eq!(keys("\u{10ffff}", "\u{10ffff}x", true, 9, 0), ["\u{10ffff}"]);
    assert_eq!(keys("-", "b/3", true, 2, 0), ["b/2", "b/1"]);

    let part = |sort, prefix: Option<&str>, after: Option<&str>| {
        let (prefix, after) = (prefix.map(Into::into), after.map(Into::into));
        ListOptions { sort, prefix, after, ..ListOptions::default() }
    };
    let mut refusal = |options: ListOptions| store.refusal(|t| list(t, "c", &options, ALWAYS).map(drop));
    let needs = "prefix needs sort \"key\", and this list has sort \"updatedAt\": add sort: \"key\"";
    assert_eq!(refusal(part(Sort::UpdatedAt, Some("b"), None)), needs);
    let needs = "after needs sort \"key\", and this list has sort \"createdAt\": add sort: \"key\"";
    assert_eq!(refusal(part(Sort::CreatedAt, None, Some("b"))), needs);
    assert_eq!(refusal(part(Sort::Key, None, Some(""))), "after must not be empty");
    assert_eq!(refusal(part(Sort::Key, Some("a\n"), None)), "prefix contains a control character at byte 1");
    assert_eq!(refusal(part(Sort::Key, Some(&(long.clone() + "p")), None)), "prefix is 2049 bytes, the limit is 2048");
}

#[test]
fn a_long_list_looks_whether_it_may_go_on() {
    let mut store = Fixture::new();
    for index in 0..10_000 {
        store.put(&format!("{index:05}"), "1");
    }
    for sort in [Sort::Key, Sort::CreatedAt, Sort::UpdatedAt] {
        let looks = Cell::new(0);
        let check_time = || {
            looks.set(looks.get() + 1);
            if looks.get() < 3 { Ok(()) } else { Err(list::out_of_time()) }
        };
        let options = ListOptions { offset: 9_999, sort, ..ListOptions::default() };
        let error = store.session.call(|t| list(t, "c", &options, &check_time)).unwrap_err();
        assert_eq!((error.code, looks.get()), (ErrorCode::Timeout, 3), "{sort:?}");
        assert_eq!(store.keys(sort, false, 1, 9_999), ["09999"]);
    }
}

#[test]
fn an_iteration_returns_all_documents_in_pages_of_their_size() {
    let mut store = Fixture::new();
    for index in 0..600 {
        store.put(&format!("{index:03}"), "1");
    }
    let pages = |store: &mut Fixture, mut options: AllOptions| {
        let mut pages = Vec::new();
        loop {
            let page = store.call(|t| all(t, "c", &options));
            let Some(last) = page.last() else { return pages };
            options.after = Some(last.key.clone());
            pages.push((page[0].key.clone(), page.len()));
        }
    };
    let page = |key: &str, length| (key.to_owned(), length);
    assert_eq!(pages(&mut store, AllOptions::default()), [page("000", 256), page("256", 256), page("512", 88)]);
    let down = AllOptions { prefix: Some("1".into()), after: Some("150".into()), descending: true };
    assert_eq!(pages(&mut store, down), [page("149", 50)]);

    store.call(|t| clear(t, "c"));
    let large = format!("\"{}\"", "x".repeat(300 << 10));
    (0..7).for_each(|index| store.put(&index.to_string(), &large));
    store.put("huge", &format!("\"{}\"", "x".repeat(15 << 20)));
    let expected = [page("0", 3), page("3", 3), page("6", 1), page("huge", 1)];
    assert_eq!(pages(&mut store, AllOptions::default()), expected);
}

#[test]
fn a_document_is_replaced_only_as_it_was_read() {
    let mut store = Fixture::new();
    let absent = store.call(|t| update::read(t, "c", "k"));
    assert_eq!(absent.data, None);
    let first = store.call(|t| update::replace(t, "c", "k", &absent.revision.to_text(), "1".into()));
    assert_eq!(Some(&first), store.call(|t| get(t, "c", "k")).as_ref());
    let clashes = |store: &mut Fixture, revision: &str| {
        let replaced = store.session.call(|t| update::replace(t, "c", "k", revision, "9".into())).unwrap_err().code;
        let removed = store.session.call(|t| update::remove(t, "c", "k", revision)).unwrap_err().code;
        assert_eq!([replaced, removed], [ErrorCode::Conflict; 2]);
    };
    clashes(&mut store, &absent.revision.to_text());

    // The same content within the same millisecond, and deleted and put again: the document looks the same.
    let read = store.call(|t| update::read(t, "c", "k"));
    store.put("k", "1");
    clashes(&mut store, &read.revision.to_text());
    let read = store.call(|t| update::read(t, "c", "k"));
    store.call(|t| delete(t, "c", "k"));
    clashes(&mut store, &read.revision.to_text());
    store.put("k", "1");
    clashes(&mut store, &read.revision.to_text());
    store.call(|t| clear(t, "c"));
    store.put("k", "1");
    clashes(&mut store, &read.revision.to_text());

    let read = store.call(|t| update::read(t, "c", "k"));
    assert_eq!(read.data.as_deref(), Some("1"));
    store.call(|t| update::remove(t, "c", "k", &read.revision.to_text()));
    assert!(store.call(collections).is_empty());
    let invalid = |t: &mut Tables<'_>| update::replace(t, "c", "k", "", "{".into()).map(drop);
    assert_eq!(store.refusal(invalid), "data is not JSON");
    assert_eq!(store.refusal(|t| update::remove(t, "c", "k", "x")), "revision is not one that update returned");
}
