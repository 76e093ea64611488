//! Random operations while the clock jumps and time passes independently: no item is lost, and one host hands out no
//! live item twice.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use proptest::{collection::vec, prelude::*, sample::select};
use tempfile::tempdir;

use super::{EnqueueOptions, Item, Page, abort, commit, count, dead_letter, dequeue, enqueue, list};
use crate::{
    data::Tables,
    workspace::{Create, Session, Workspace},
};

const DAY: u64 = 86_400_000;
/// The remaining time of a lease below which the test does not rely on it, because of rounding, in milliseconds.
const ALMOST: Duration = Duration::from_millis(5);

#[derive(Clone, Debug)]
enum Step {
    Enqueue(u32),
    Dequeue(u32),
    Commit(prop::sample::Index),
    Abort(prop::sample::Index),
    /// Time passes, for the clock too.
    Pass(u64),
    /// The clock is set.
    Jump(i64),
    Flush,
    /// The process ends and another one begins.
    Reopen,
    /// The same, but unsaved changes are lost.
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    let day = DAY as i64;
    prop_oneof![
        10 => (0..4_u32).prop_map(Step::Enqueue),
        12 => select(vec![1_000, 2_000, 5_000, 3_600_000, DAY as u32]).prop_map(Step::Dequeue),
        4 => any::<prop::sample::Index>().prop_map(Step::Commit),
        3 => any::<prop::sample::Index>().prop_map(Step::Abort),
        5 => prop_oneof![0..3_000_u64, Just(3_600_000)].prop_map(Step::Pass),
        5 => select(vec![-day, day, -3 * day, day / 24, -day / 24, -1_500, 900, -900]).prop_map(Step::Jump),
        3 => Just(Step::Flush),
        2 => Just(Step::Reopen),
        2 => Just(Step::Crash),
    ]
}

/// The known state of the items, by their data.
#[derive(Clone, Default)]
struct Known {
    enqueued: BTreeSet<u64>,
    committed: BTreeSet<u64>,
}

struct Host {
    workspace: Workspace,
    session: Session,
    clock: Arc<AtomicU64>,
    /// The time that has passed in addition to the real time.
    passed: Duration,
    /// Checkouts of this process: the item, and until when it is live.
    live: BTreeMap<u64, (u64, Instant)>,
}

impl Host {
    fn open(folder: &Path, clock: &Arc<AtomicU64>) -> Self {
        let time = Arc::clone(clock);
        let workspace =
            Workspace::with_clock(folder, Create::AtFirstUse, Arc::new(move || time.load(Ordering::Relaxed)));
        let workspace = workspace.without_hurry();
        let session = workspace.session(Instant::now() + Duration::from_secs(600), Box::new(|_| {}));
        Self { workspace, session, clock: Arc::clone(clock), passed: Duration::ZERO, live: BTreeMap::new() }
    }

    fn now(&self) -> Instant {
        Instant::now() + self.passed
    }

    fn call<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, crate::Error>) -> T {
        self.session.call(f).unwrap()
    }

    fn pass(&mut self, milliseconds: u64) {
        self.clock.fetch_add(milliseconds, Ordering::Relaxed);
        self.workspace.data().queue().skip(milliseconds);
        self.passed += Duration::from_millis(milliseconds);
    }

    fn jump(&mut self, by: i64) {
        self.clock.store(self.clock.load(Ordering::Relaxed).saturating_add_signed(by), Ordering::Relaxed);
    }

    fn dequeue(&mut self, lease: u32, known: &Known) {
        let began = self.now();
        let Some(item) = self.call(|t| dequeue(t, "q", lease)) else { return };
        let number = number(&item);
        assert!(!known.committed.contains(&number), "{number} was committed");
        let now = self.now();
        if let Some((id, _)) = self.live.iter().find(|(_, (other, until))| *other == number && now + ALMOST < *until) {
            panic!("{number} is live as {id}, and was handed out again as {}", item.id);
        }
        self.live.insert(item.id, (number, began + Duration::from_millis(lease.into())));
    }

    /// A live checkout can be committed and aborted, whatever the clock shows.
    fn end(&mut self, index: prop::sample::Index, known: &mut Known, commits: bool) {
        if self.live.is_empty() {
            return;
        }
        let ids: Vec<_> = self.live.keys().copied().collect();
        let id = ids[index.index(ids.len())];
        let (number, until) = self.live.remove(&id).unwrap();
        let ended = match commits {
            true => self.session.call(|t| commit(t, id)).is_ok(),
            false => self.call(|t| abort(t, id, None)),
        };
        assert!(ended || self.now() + ALMOST >= until, "checkout {id} was live, and is gone");
        if ended && commits {
            known.committed.insert(number);
        }
    }

    /// Checks that every item that was not committed exists once, when all leases have ended.
    fn has_all(&mut self, known: &Known) {
        // A process that has died can't have renewed its leases; a jump may have let them begin again.
        for milliseconds in [0, DAY + 5_000, DAY + 5_000] {
            self.pass(milliseconds);
            self.call(|t| count(t, "q"));
        }
        let page = Page { limit: i32::MAX as u32, offset: 0 };
        let mut items = self.call(|t| list(t, "q", page));
        items.extend(self.call(|t| dead_letter(t, "q", page)));
        let mut there: Vec<_> = items.iter().map(number).collect();
        there.sort_unstable();
        let expected: Vec<_> = known.enqueued.difference(&known.committed).copied().collect();
        assert_eq!(there, expected);
    }
}

fn number(item: &Item) -> u64 {
    item.data.parse().unwrap()
}

fn run(steps: Vec<Step>) {
    let folder = tempdir().unwrap();
    let clock = Arc::new(AtomicU64::new(400 * DAY));
    let mut host = Host::open(folder.path(), &clock);
    let (mut known, mut saved) = (Known::default(), Known::default());
    for (number, step) in steps.into_iter().enumerate() {
        match step {
            Step::Enqueue(max_retries) => {
                let data = number.to_string();
                host.call(|t| enqueue(t, "q", &data, EnqueueOptions { priority: 1, max_retries }));
                known.enqueued.insert(number as u64);
            }
            Step::Dequeue(lease) => host.dequeue(lease, &known),
            Step::Commit(index) => host.end(index, &mut known, true),
            Step::Abort(index) => host.end(index, &mut known, false),
            Step::Pass(milliseconds) => host.pass(milliseconds),
            Step::Jump(by) => host.jump(by),
            Step::Flush => {
                host.workspace.flush().unwrap();
                saved = known.clone();
            }
            Step::Reopen => {
                drop(host);
                host = Host::open(folder.path(), &clock);
                saved = known.clone();
            }
            Step::Crash => {
                host.workspace.crash();
                known = saved.clone();
                drop(host);
                host = Host::open(folder.path(), &clock);
            }
        }
    }
    host.has_all(&known);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_clock_does_no_item_is_lost_and_no_live_one_handed_out_twice(steps in vec(step(), 1..120)) {
        run(steps);
    }
}
