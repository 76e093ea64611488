//! Tests of the queue without a script: limits, leases and clocks, and the rows that remain after `clear`.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tempfile::{TempDir, tempdir};

use super::{
    DEFAULT_LEASE_MS, EnqueueOptions, Item, Page, abort, clear, commit, count, dead_count, dead_letter, dequeue,
    enqueue, list, overview, page::pending, queues, renew, retry,
};
use crate::{
    Error, ErrorCode,
    data::{TableSet, Tables, failed},
    workspace::{Create, Session, Workspace},
};

const DAY: u64 = 86_400_000;
const START: u64 = 100 * DAY;

struct Fixture {
    folder: TempDir,
    workspace: Workspace,
    session: Session,
    clock: Arc<AtomicU64>,
}

fn open(folder: &Path, clock: &Arc<AtomicU64>) -> (Workspace, Session) {
    let time = Arc::clone(clock);
    let workspace = Workspace::with_clock(folder, Create::AtFirstUse, Arc::new(move || time.load(Ordering::Relaxed)));
    let session = workspace.session(Instant::now() + Duration::from_secs(60), Box::new(|_| {}));
    (workspace, session)
}

impl Fixture {
    fn new() -> Self {
        let (folder, clock) = (tempdir().unwrap(), Arc::new(AtomicU64::new(START)));
        let (workspace, session) = open(folder.path(), &clock);
        Self { folder, workspace, session, clock }
    }

    /// Ends the process and begins another one.
    fn restart(self) -> Self {
        let Self { folder, workspace, mut session, clock } = self;
        session.finish().unwrap();
        drop((workspace, session));
        let (workspace, session) = open(folder.path(), &clock);
        Self { folder, workspace, session, clock }
    }

    /// Sets the clock.
    fn at(&self, time: u64) {
        self.clock.store(time, Ordering::Relaxed);
    }

    /// Lets time pass.
    fn pass(&self, milliseconds: u64) {
        self.clock.fetch_add(milliseconds, Ordering::Relaxed);
        self.workspace.data().queue().skip(milliseconds);
    }

    fn call<T>(&mut self, f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>) -> T {
        self.session.call(f).unwrap()
    }

    fn enqueue(&mut self, data: &str) {
        self.call(|t| enqueue(t, "q", data, EnqueueOptions::default()));
    }

    fn take(&mut self, lease: u32) -> Option<Item> {
        self.call(|t| dequeue(t, "q", lease))
    }

    fn error<T: std::fmt::Debug>(
        &mut self,
        f: impl FnOnce(&mut Tables<'_>) -> Result<T, Error>,
    ) -> (ErrorCode, String) {
        let error = self.session.call(f).unwrap_err();
        (error.code, error.message)
    }
}

#[test]
fn what_a_foreign_component_might_give_is_refused() {
    let mut queue = Fixture::new();
    let mut refused = |message: &str, f: fn(&mut Tables<'_>) -> Result<(), Error>| {
        assert_eq!(queue.error(f), (ErrorCode::InvalidArgument, message.to_owned()));
    };
    refused("data is not JSON", |t| enqueue(t, "q", "{", EnqueueOptions::default()));
    refused("options.priority must be one of 0, 1, 2, not 3", |t| {
        enqueue(t, "q", "1", EnqueueOptions { priority: 3, max_retries: 0 })
    });
    refused("options.maxRetries must be from 0 to 2147483647, not 4294967295", |t| {
        enqueue(t, "q", "1", EnqueueOptions { priority: 0, max_retries: u32::MAX })
    });
    refused("options.leaseMs must be from 1000 to 86400000, not 999", |t| dequeue(t, "q", 999).map(drop));
    refused("name must not be empty", |t| clear(t, ""));
    assert_eq!(queue.call(|t| count(t, "q")), 0);
}

#[test]
fn a_lease_that_runs_out_is_an_abort() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    let first = queue.take(1_000).unwrap();
    queue.pass(999);
    assert_eq!(queue.call(|t| count(t, "q")), 0);
    queue.pass(1);
    let second = queue.take(1_000).unwrap();
    assert_eq!((second.attempts, second.last_error.as_deref()), (2, Some("lease expired")));
    assert!(second.id > first.id);
    let message = format!("checkout {} has expired, and its item has returned to the queue", first.id);
    assert_eq!(queue.error(|t| commit(t, first.id)), (ErrorCode::NotFound, message));
    queue.call(|t| commit(t, second.id));
}

#[test]
fn leases_that_run_out_end_in_dead_letters() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    for _ in 0..4 {
        assert!(queue.take(DEFAULT_LEASE_MS).is_some());
        queue.pass(DEFAULT_LEASE_MS.into());
    }
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    let dead = queue.call(|t| dead_letter(t, "q", Page::default()));
    assert_eq!(
        (dead.len(), dead[0].attempts, dead[0].dead_lettered),
        (1, 4, Some(START + 4 * u64::from(DEFAULT_LEASE_MS)))
    );
    queue.call(|t| retry(t, "q", dead[0].id));
    assert_eq!(queue.take(DEFAULT_LEASE_MS).unwrap().attempts, 1);
}

#[test]
fn the_number_of_dead_letters_includes_an_item_whose_last_lease_has_just_ended() {
    let mut queue = Fixture::new();
    queue.call(|t| enqueue(t, "q", "1", EnqueueOptions { max_retries: 0, ..EnqueueOptions::default() }));
    assert!(queue.take(1_000).is_some());
    assert_eq!(queue.call(|t| dead_count(t, "q")), 0);
    queue.pass(1_000);
    assert_eq!(queue.call(|t| dead_count(t, "q")), 1);
}

#[test]
fn a_lease_that_is_renewed_goes_on() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    let id = queue.take(1_000).unwrap().id;
    for _ in 0..5 {
        queue.pass(900);
        assert_eq!(queue.call(|t| renew(t, &[id, 77])), [77]);
    }
    queue.call(|t| commit(t, id));
    assert_eq!(queue.call(|t| renew(t, &[id])), [id]);
}

#[test]
fn a_clock_that_jumps_forward_hands_out_no_live_checkout_twice() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    let item = queue.take(DEFAULT_LEASE_MS).unwrap();
    queue.at(START + DAY);
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    queue.pass(u64::from(DEFAULT_LEASE_MS) / 2);
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    queue.call(|t| commit(t, item.id));
    // A checkout that no run renews expires when its time has passed.
    queue.enqueue("2");
    queue.take(DEFAULT_LEASE_MS).unwrap();
    queue.at(START + 3 * DAY);
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    queue.pass(DEFAULT_LEASE_MS.into());
    assert_eq!(queue.take(DEFAULT_LEASE_MS).unwrap().data, "2");
}

#[test]
fn a_clock_that_jumps_back_loses_no_item() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    queue.take(DEFAULT_LEASE_MS).unwrap();
    queue.at(START - DAY);
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    queue.pass(DEFAULT_LEASE_MS.into());
    assert_eq!(queue.take(DEFAULT_LEASE_MS).unwrap().data, "1", "in the same process");

    let mut queue = queue.restart();
    queue.at(START - 3 * DAY);
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    queue.pass(DEFAULT_LEASE_MS.into());
    assert_eq!(queue.take(DEFAULT_LEASE_MS).unwrap().data, "1", "in another process");
}

/// A valid long lease ended later than a shorter one that was taken before the clock was set back. The shorter one was
/// therefore not found until the long one had ended.
#[test]
fn a_long_lease_hides_no_shorter_one_when_the_clock_jumps_back() {
    const HOUR: u64 = DAY / 24;
    for long_ones in [1, 700] {
        let mut queue = Fixture::new();
        queue.at(START - 5 * HOUR);
        for _ in 0..long_ones {
            queue.enqueue("0");
            queue.take(DAY as u32).unwrap();
        }
        queue.at(START);
        queue.enqueue("1");
        queue.take(1_000).unwrap();
        let mut queue = queue.restart();
        queue.at(START - HOUR);
        (0..3).for_each(|_| assert_eq!(queue.take(DEFAULT_LEASE_MS), None));
        queue.pass(1_000);
        assert_eq!(queue.take(DEFAULT_LEASE_MS).map(|item| item.data).as_deref(), Some("1"), "behind {long_ones}");
    }
}

#[test]
fn a_checkout_of_a_process_that_died_expires_by_the_clock() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    queue.take(DEFAULT_LEASE_MS).unwrap();
    let mut queue = queue.restart();
    assert_eq!(queue.take(DEFAULT_LEASE_MS), None);
    queue.pass(DEFAULT_LEASE_MS.into());
    assert_eq!(queue.take(DEFAULT_LEASE_MS).unwrap().attempts, 2);
}

#[test]
fn more_leases_may_run_out_than_one_call_looks_at() {
    let mut queue = Fixture::new();
    for _ in 0..2_500 {
        queue.enqueue("1");
        queue.take(1_000).unwrap();
    }
    queue.pass(1_000);
    assert_eq!(queue.call(|t| count(t, "q")), 1_000);
    assert_eq!(queue.call(|t| count(t, "q")), 2_000);
    assert_eq!(queue.call(|t| count(t, "q")), 2_500);
}

#[test]
fn counts_and_pages_see_every_lease_that_has_ended() {
    let mut queue = Fixture::new();
    for _ in 0..2_500 {
        queue.enqueue("1");
        queue.take(1_000).unwrap();
    }
    queue.pass(1_000);
    let page = Page { limit: 1, offset: 2_499 };
    assert_eq!(queue.session.call_after_expiry(|t| list(t, "q", page)).unwrap().len(), 1);
    queue.take(1_000).unwrap();
    assert_eq!(queue.session.call_after_expiry(|t| count(t, "q")).unwrap(), 2_499);
}

#[test]
fn a_lease_that_is_renewed_late_goes_on() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    let item = queue.take(1_000).unwrap();
    queue.pass(3_000);
    assert_eq!(queue.call(|t| renew(t, &[item.id])), Vec::<u64>::new());
    assert_eq!(queue.call(|t| count(t, "q")), 0);
    queue.pass(1_000);
    assert_eq!(queue.call(|t| count(t, "q")), 1);
}

#[test]
fn a_checkout_that_a_run_holds_does_not_expire_before_the_run_ends() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    let item = queue.take(1_000).unwrap();
    queue.session.queues().hold(item.id);
    queue.pass(3_000);
    assert_eq!(queue.call(|t| count(t, "q")), 0);
    queue.session.queues().release([item.id]);
    queue.pass(1_000);
    assert_eq!(queue.call(|t| count(t, "q")), 1);
}

#[test]
fn a_lease_of_another_process_ends_later_while_processes_wait_for_the_workspace() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    queue.take(1_000).unwrap();
    let mut queue = queue.restart();
    // The renewal may be among those that wait.
    let waiting = fs::File::open(queue.folder.path().join(".ghost/waiting")).unwrap();
    waiting.lock_shared().unwrap();
    queue.pass(5_000);
    assert_eq!(queue.call(|t| count(t, "q")), 0);
    queue.pass(1_000);
    assert_eq!(queue.call(|t| count(t, "q")), 1);
}

#[test]
fn only_the_last_expired_checkouts_are_remembered() {
    let mut queue = Fixture::new();
    for _ in 0..10_001 {
        queue.enqueue("1");
        queue.take(1_000).unwrap();
    }
    queue.pass(1_000);
    let counts: Vec<_> = (0..11).map(|_| queue.call(|t| count(t, "q"))).collect();
    assert_eq!(counts.last(), Some(&10_001));
    assert!(queue.error(|t| commit(t, 1)).1.contains("expired long ago"));
    assert!(queue.error(|t| commit(t, 10_001)).1.contains("has expired"));
}

#[test]
fn a_page_has_a_limit_in_bytes() {
    let mut queue = Fixture::new();
    queue.enqueue("\"12345678\"");
    queue.enqueue("\"12345678\"");
    let page = |t: &mut Tables<'_>, bytes| pending(&mut t.queue, "q", Page::default(), bytes).map_err(failed);
    assert_eq!(queue.call(|t| page(t, 20)).unwrap().len(), 2);
    assert_eq!(queue.call(|t| page(t, 19)), None);
}

#[test]
fn counts_are_right_with_more_queues_than_are_kept_in_memory() {
    let mut queue = Fixture::new();
    for _ in 0..2 {
        for index in 0..1_500 {
            queue.call(|t| enqueue(t, &format!("q{index}"), "1", EnqueueOptions::default()));
        }
    }
    for index in 0..1_500 {
        assert_eq!(queue.call(|t| count(t, &format!("q{index}"))), 2);
        let name = format!("q{index}");
        for _ in 0..2 {
            let id = queue.call(|t| dequeue(t, &name, DEFAULT_LEASE_MS)).unwrap().id;
            queue.call(|t| commit(t, id));
        }
    }
    assert!(queue.call(queues).is_empty());
}

#[test]
fn what_was_cleared_is_gone_at_once_and_its_rows_later() {
    let mut queue = Fixture::new();
    let large = format!("\"{}\"", "x".repeat(5_000));
    for index in 0..2_000 {
        let data = if index % 2 == 0 { "1" } else { &large };
        queue.call(|t| enqueue(t, "q", data, EnqueueOptions { priority: 1, max_retries: 0 }));
    }
    for _ in 0..200 {
        let id = queue.take(1_000).unwrap().id;
        assert!(queue.call(|t| abort(t, id, Some("no"))));
    }
    let live = queue.take(1_000).unwrap().id;
    queue.session.finish().unwrap();
    queue.call(|t| clear(t, "q"));
    assert!(!queue.call(|t| abort(t, live, None)));
    queue.enqueue("\"new\"");
    let rows = |t: &mut Tables<'_>| Ok((t.queue.needs_purge(), t.queue.rows()));
    let deadline = Instant::now() + Duration::from_secs(30);
    while queue.call(rows).0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(queue.call(rows), (false, [1, 0, 0, 0, 0]));
    assert_eq!(queue.call(|t| list(t, "q", Page::default()))[0].data, "\"new\"");
}

#[test]
fn an_overview_has_every_queue() {
    let mut queue = Fixture::new();
    queue.enqueue("1");
    queue.pass(5);
    queue.call(|t| enqueue(t, "q", "2", EnqueueOptions { priority: 2, max_retries: 0 }));
    queue.enqueue("3");
    let id = queue.take(DEFAULT_LEASE_MS).unwrap().id;
    queue.call(|t| abort(t, id, None));
    let id = queue.take(DEFAULT_LEASE_MS).unwrap().id;
    queue.call(|t| commit(t, id));
    queue.take(DEFAULT_LEASE_MS).unwrap();
    let all = queue.call(overview);
    assert_eq!((all.len(), all[0].name.as_str(), all[0].oldest), (1, "q", None));
    let counts = all[0].counts;
    assert_eq!((counts.pending, counts.checked_out, counts.dead), (0, 1, 1));
    assert_eq!((counts.enqueued, counts.committed), (3, 1));
}
