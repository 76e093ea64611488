//! Random operations on queues and on a simple model of them, with commits, losses and reopening in between.

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

use super::{
    EnqueueOptions, Item, Page, abort, clear, commit, count, dead_letter, dequeue, enqueue, list, peek, queues, retry,
};
use crate::workspace::{Create, Session, Workspace};

#[derive(Clone, Debug)]
enum Step {
    Enqueue(&'static str, usize, EnqueueOptions),
    Dequeue(&'static str, u32),
    /// One of all checkouts so far, live or not.
    Commit(usize),
    Abort(usize, Option<String>),
    Retry(&'static str, usize),
    Peek(&'static str),
    Count(&'static str),
    Clear(&'static str),
    List(&'static str, Page),
    Dead(&'static str, Page),
    Queues,
    /// Time passes.
    Pass(u64),
    Flush,
    Reopen,
    /// Unsaved changes are lost, as when the process is killed.
    Crash,
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "ab", "é"])
}

fn options() -> impl Strategy<Value = EnqueueOptions> {
    (0..3_u8, 0..3_u32).prop_map(|(priority, max_retries)| EnqueueOptions { priority, max_retries })
}

fn page() -> impl Strategy<Value = Page> {
    (0..9_u32, 0..9_u32).prop_map(|(limit, offset)| Page { limit, offset })
}

fn step() -> impl Strategy<Value = Step> {
    let size = prop_oneof![9 => 0..200_usize, 1 => 4_000..9_000_usize];
    prop_oneof![
        16 => (name(), size, options()).prop_map(|(name, size, options)| Step::Enqueue(name, size, options)),
        16 => (name(), 1_000..4_000_u32).prop_map(|(name, lease)| Step::Dequeue(name, lease)),
        6 => any::<prop::sample::Index>().prop_map(|index| Step::Commit(index.index(1_000))),
        8 => (any::<prop::sample::Index>(), prop::option::of("[a-é]{0,9}"))
            .prop_map(|(index, error)| Step::Abort(index.index(1_000), error)),
        4 => (name(), any::<prop::sample::Index>()).prop_map(|(name, index)| Step::Retry(name, index.index(1_000))),
        2 => name().prop_map(Step::Peek),
        3 => name().prop_map(Step::Count),
        1 => name().prop_map(Step::Clear),
        4 => (name(), page()).prop_map(|(name, page)| Step::List(name, page)),
        4 => (name(), page()).prop_map(|(name, page)| Step::Dead(name, page)),
        2 => Just(Step::Queues),
        6 => (0..1_500_u64).prop_map(Step::Pass),
        3 => Just(Step::Flush),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

#[derive(Clone, Debug, Default)]
struct Model {
    /// By queue, 2 minus the priority, and id.
    pending: BTreeMap<(String, u8, u64), Item>,
    /// By id: the queue, when the lease ends, the item.
    checked_out: BTreeMap<u64, (String, u64, Item)>,
    dead: BTreeMap<(String, u64), Item>,
    last_id: u64,
}

impl Model {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn make_pending(&mut self, name: String, item: Item) {
        let id = self.next_id();
        self.pending.insert((name, 2 - item.priority, id), Item { id, dead_lettered: None, ..item });
    }

    fn give_back(&mut self, id: u64, error: Option<String>, now: u64) -> bool {
        let Some((name, _, item)) = self.checked_out.remove(&id) else { return false };
        let item = Item { last_error: error, ..item };
        if item.attempts > item.max_retries {
            let id = self.next_id();
            self.dead.insert((name, id), Item { id, dead_lettered: Some(now), ..item });
        } else {
            self.make_pending(name, item);
        }
        true
    }

    fn expire(&mut self, now: u64) {
        let mut expired: Vec<_> = self.checked_out.iter().map(|(id, (_, ends, _))| (*ends, *id)).collect();
        expired.retain(|(ends, _)| *ends <= now);
        expired.sort_unstable();
        for (_, id) in expired {
            self.give_back(id, Some("lease expired".into()), now);
        }
    }

    fn of(&self, name: &str) -> Vec<&Item> {
        self.pending.iter().filter(|((queue, ..), _)| queue == name).map(|(_, item)| item).collect()
    }

    fn dead_of(&self, name: &str) -> Vec<&Item> {
        self.dead.iter().filter(|((queue, _), _)| queue == name).map(|(_, item)| item).collect()
    }

    fn dequeue(&mut self, name: &str, lease: u32, now: u64) -> Option<Item> {
        let key = self.pending.keys().find(|(queue, ..)| queue == name)?.clone();
        let item = self.pending.remove(&key)?;
        let item = Item { attempts: item.attempts + 1, last_attempt: Some(now), ..item };
        self.checked_out.insert(item.id, (name.into(), now + u64::from(lease), item.clone()));
        Some(item)
    }

    fn clear(&mut self, name: &str) {
        self.pending.retain(|(queue, ..), _| queue != name);
        self.checked_out.retain(|_, (queue, ..)| queue != name);
        self.dead.retain(|(queue, _), _| queue != name);
    }

    fn queues(&self) -> Vec<String> {
        let mut names: Vec<_> = self.pending.keys().map(|(name, ..)| name.clone()).collect();
        names.extend(self.checked_out.values().map(|(name, ..)| name.clone()));
        names.extend(self.dead.keys().map(|(name, _)| name.clone()));
        names.sort();
        names.dedup();
        names
    }
}

fn cut(items: Vec<&Item>, page: Page) -> Vec<Item> {
    items.into_iter().skip(page.offset as usize).take(page.limit as usize).cloned().collect()
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
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let mut real = Real::open(folder.path(), &clock);
    let mut model = Model::default();
    // What is on disk.
    let mut saved = model.clone();
    let mut taken = vec![0, 77];
    for step in steps {
        let now = clock.load(Ordering::Relaxed);
        if !matches!(step, Step::Pass(_) | Step::Flush | Step::Reopen | Step::Crash) {
            model.expire(now);
        }
        match step {
            Step::Enqueue(name, size, options) => {
                let data = format!("\"{}\"", "x".repeat(size));
                let item = Item {
                    id: 0,
                    data: data.clone(),
                    priority: options.priority,
                    attempts: 0,
                    max_retries: options.max_retries,
                    enqueued: now,
                    last_attempt: None,
                    last_error: None,
                    dead_lettered: None,
                };
                model.make_pending(name.into(), item);
                real.session.call(|t| enqueue(t, name, &data, options)).unwrap();
            }
            Step::Dequeue(name, lease) => {
                let item = real.session.call(|t| dequeue(t, name, lease)).unwrap();
                assert_eq!(item, model.dequeue(name, lease, now));
                taken.extend(item.map(|item| item.id));
            }
            Step::Commit(index) => {
                let id = taken[index % taken.len()];
                let done = real.session.call(|t| commit(t, id)).is_ok();
                assert_eq!(done, model.checked_out.remove(&id).is_some());
            }
            Step::Abort(index, error) => {
                let id = taken[index % taken.len()];
                let aborted = real.session.call(|t| abort(t, id, error.as_deref())).unwrap();
                assert_eq!(aborted, model.give_back(id, error, now));
            }
            Step::Retry(name, index) => {
                let letters = model.dead_of(name);
                let id = if letters.is_empty() { 1 } else { letters[index % letters.len()].id };
                let item = model.dead.remove(&(name.into(), id));
                assert_eq!(real.session.call(|t| retry(t, name, id)).is_ok(), item.is_some());
                item.into_iter().for_each(|item| model.make_pending(name.into(), Item { attempts: 0, ..item }));
            }
            Step::Peek(name) => {
                assert_eq!(real.session.call(|t| peek(t, name)).unwrap().as_ref(), model.of(name).first().copied());
            }
            Step::Count(name) => {
                assert_eq!(real.session.call(|t| count(t, name)).unwrap(), model.of(name).len() as u64);
            }
            Step::Clear(name) => {
                model.clear(name);
                real.session.call(|t| clear(t, name)).unwrap();
            }
            Step::List(name, page) => {
                assert_eq!(real.session.call(|t| list(t, name, page)).unwrap(), cut(model.of(name), page));
            }
            Step::Dead(name, page) => {
                assert_eq!(real.session.call(|t| dead_letter(t, name, page)).unwrap(), cut(model.dead_of(name), page));
            }
            Step::Queues => assert_eq!(real.session.call(queues).unwrap(), model.queues()),
            Step::Pass(milliseconds) => {
                clock.fetch_add(milliseconds, Ordering::Relaxed);
                real.workspace.data().queue().skip(milliseconds);
            }
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
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn queues_keep_their_order_through_leases_crashes_and_reopening(steps in vec(step(), 1..150)) {
        run(steps);
    }
}
