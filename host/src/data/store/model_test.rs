//! Random operations on the store and on the simplest thing that does the same, with commits, losses and reopening in
//! between.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use proptest::{collection::vec, prelude::*, sample::select};
use tempfile::tempdir;

use super::{ListOptions, Sort, clear, collections, count, delete, get, list, put};
use crate::workspace::{Create, Session, Workspace};

#[derive(Clone, Debug)]
enum Step {
    Put(&'static str, String, usize),
    Get(&'static str, String),
    Delete(&'static str, String),
    Count(&'static str),
    Clear(&'static str),
    List(&'static str, ListOptions),
    Collections,
    /// The clock goes on, or back.
    Time(u64),
    Flush,
    /// Closed and opened again.
    Reopen,
    /// Unsaved changes are lost, as when the process is killed.
    Crash,
}

/// Prefixes of each other, so that a range that is too wide shows.
fn collection() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "ab", "b", "é"])
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-d]{1,2}", 1 => "[a-zé😀]{1,40}"]
}

fn options() -> impl Strategy<Value = ListOptions> {
    let sort = select(vec![Sort::Key, Sort::CreatedAt, Sort::UpdatedAt]);
    let prefix = prop_oneof![Just(None), key().prop_map(|key| key.chars().next().map(String::from))];
    let part = (prefix, prop_oneof![Just(None), key().prop_map(Some)]);
    (0..12_u32, 0..12_u32, sort, any::<bool>(), part).prop_map(|(limit, offset, sort, descending, (prefix, after))| {
        let by_key = |part: Option<String>| part.filter(|_| sort == Sort::Key);
        ListOptions { limit, offset, sort, descending, prefix: by_key(prefix), after: by_key(after) }
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (collection(), key(), prop_oneof![9 => 0..300_usize, 1 => 0..20_000_usize])
            .prop_map(|(collection, key, size)| Step::Put(collection, key, size)),
        8 => (collection(), key()).prop_map(|(collection, key)| Step::Get(collection, key)),
        8 => (collection(), key()).prop_map(|(collection, key)| Step::Delete(collection, key)),
        4 => collection().prop_map(Step::Count),
        1 => collection().prop_map(Step::Clear),
        8 => (collection(), options()).prop_map(|(collection, options)| Step::List(collection, options)),
        2 => Just(Step::Collections),
        4 => (0..4_u64).prop_map(Step::Time),
        2 => Just(Step::Flush),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

/// A document of the model: what is stored, and when, with the order among what was stored at that time.
#[derive(Clone, Debug)]
struct Entry {
    data: String,
    created: (u64, u64),
    updated: (u64, u64),
}

#[derive(Clone, Debug, Default)]
struct Model {
    documents: BTreeMap<(String, String), Entry>,
    writes: u64,
}

impl Model {
    fn put(&mut self, collection: &str, key: &str, data: String, time: u64) {
        self.writes += 1;
        let now = (time, self.writes);
        let entry = Entry { data, created: now, updated: now };
        let stored = self.documents.entry((collection.into(), key.into())).or_insert_with(|| entry.clone());
        // Also after the clock went back.
        let updated = (time.max(stored.created.0), self.writes);
        *stored = Entry { created: stored.created, updated, ..entry };
    }

    fn of(&self, collection: &str) -> Vec<(&String, &Entry)> {
        let of = self.documents.iter().filter(|((name, _), _)| name == collection);
        of.map(|((_, key), entry)| (key, entry)).collect()
    }

    fn list(&self, collection: &str, options: &ListOptions) -> Vec<(String, String)> {
        let mut documents = self.of(collection);
        match options.sort {
            Sort::Key => documents.sort_by_key(|(key, _)| key.as_bytes()),
            Sort::CreatedAt => documents.sort_by_key(|(_, entry)| entry.created),
            Sort::UpdatedAt => documents.sort_by_key(|(_, entry)| entry.updated),
        }
        if options.descending {
            documents.reverse();
        }
        let follows = |key: &str, after: &str| if options.descending { key < after } else { key > after };
        documents.retain(|(key, _)| options.prefix.as_ref().is_none_or(|prefix| key.starts_with(prefix)));
        documents.retain(|(key, _)| options.after.as_ref().is_none_or(|after| follows(key, after)));
        let page = documents.into_iter().skip(options.offset as usize).take(options.limit as usize);
        page.map(|(key, entry)| (key.clone(), entry.data.clone())).collect()
    }

    fn collections(&self) -> Vec<String> {
        let mut names: Vec<_> = self.documents.keys().map(|(name, _)| name.clone()).collect();
        names.dedup();
        names
    }
}

struct Real {
    workspace: Workspace,
    session: Session,
}

impl Real {
    fn open(folder: &Path, clock: &Arc<AtomicU64>) -> Self {
        let clock = Arc::clone(clock);
        let workspace =
            Workspace::with_clock(folder, Create::AtFirstUse, Arc::new(move || clock.load(Ordering::Relaxed)));
        let workspace = workspace.without_hurry();
        let session = workspace.session(Instant::now() + Duration::from_secs(600), Box::new(|_| {}));
        Self { workspace, session }
    }
}

fn run(steps: Vec<Step>) {
    let folder = tempdir().unwrap();
    let clock = Arc::new(AtomicU64::new(10));
    let mut real = Real::open(folder.path(), &clock);
    let mut model = Model::default();
    // What is on disk.
    let mut saved = model.clone();
    for step in steps {
        match step {
            Step::Put(collection, key, size) => {
                let data = format!("\"{}\"", "x".repeat(size));
                model.put(collection, &key, data.clone(), clock.load(Ordering::Relaxed));
                real.session.call(|t| put(t, collection, &key, &data)).unwrap();
            }
            Step::Get(collection, key) => {
                let expected = model.documents.get(&(collection.into(), key.clone()));
                let found = real.session.call(|t| get(t, collection, &key)).unwrap();
                assert_eq!(
                    found.map(|document| (document.data, document.created.time, document.updated.time)),
                    expected.map(|entry| (entry.data.clone(), entry.created.0, entry.updated.0))
                );
            }
            Step::Delete(collection, key) => {
                let expected = model.documents.remove(&(collection.into(), key.clone())).is_some();
                assert_eq!(real.session.call(|t| delete(t, collection, &key)).unwrap(), expected);
            }
            Step::Count(collection) => {
                let counted = real.session.call(|t| count(t, collection)).unwrap();
                assert_eq!(counted, model.of(collection).len() as u64);
            }
            Step::Clear(collection) => {
                model.documents.retain(|(name, _), _| name != collection);
                real.session.call(|t| clear(t, collection)).unwrap();
            }
            Step::List(collection, options) => {
                let page = real.session.call(|t| list(t, collection, &options, &|| Ok(()))).unwrap();
                let page: Vec<_> = page.into_iter().map(|document| (document.key, document.data)).collect();
                assert_eq!(page, model.list(collection, &options));
            }
            Step::Collections => assert_eq!(real.session.call(collections).unwrap(), model.collections()),
            Step::Time(time) => clock.store(10 + time, Ordering::Relaxed),
            Step::Flush => {
                real.workspace.flush().unwrap();
                saved = model.clone();
            }
            Step::Reopen => {
                drop(real);
                real = Real::open(folder.path(), &clock);
                saved = model.clone();
            }
            Step::Crash => {
                real.workspace.crash();
                model = saved.clone();
                drop(real);
                real = Real::open(folder.path(), &clock);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_is_a_map_that_remembers_the_order_of_writing(steps in vec(step(), 1..120)) {
        run(steps);
    }
}
