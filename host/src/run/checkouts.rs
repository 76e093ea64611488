//! The checkouts of a run, from `dequeue` to their end.
//!
//! ```text
//! dequeue ──► checked out (the lease is renewed while the run lives)
//!             ├─► commit    the work succeeded
//!             ├─► abort     the work or the run failed, or the run was dropped: a retry, or a dead letter after the last one
//!             ├─► lose      the transaction that took it was lost: another run may have the item by now
//!             └─► expiry    the lease was not renewed (`data/queue/expiry.rs`): as an abort
//! ```
//!
//! The rows of checkouts are in `data/queue`; this module tracks the open checkouts of one run.

use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::Notify, task::spawn_blocking, time::sleep_until};

use crate::{
    Error, Failure,
    data::queue::{self, Item},
    workspace::{Session, Workspace},
};

/// How long the renewal of all due leases may take; each of its calls waits for the workspace for at most 5 s.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(10);
/// A failed renewal is repeated after a tenth of the lease.
const RETRY_DIVISOR: u32 = 10;
/// The number of checkouts that one call aborts or renews. Other calls are executed in between.
const BATCH: usize = 256;

/// How long dropping a run waits for the workspace to abort its checkouts; the thread that drops the run is blocked
/// meanwhile.
const DROP_TIMEOUT: Duration = Duration::from_secs(1);

/// The checkouts of one run; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Checkouts(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<CheckoutState>,
    /// Wakes the renewal loop: a new checkout is due before the planned wake-up.
    wake_up: Notify,
}

#[derive(Default)]
struct CheckoutState {
    open: HashMap<u64, Checkout>,
    /// Checkouts that ended in the latest transaction (`ended_in`). If it is lost, they are open again.
    ended: Vec<(u64, Checkout)>,
    ended_in: u64,
    /// The number of the transaction that was lost, if one was. `lose` may come between a call in
    /// that transaction and its `add` or `release`. These then record nothing: the item was not taken, or the checkout is
    /// still open.
    lost: Option<u64>,
    /// When the renewal loop wakes up as planned.
    wakes_at: Option<Instant>,
}

#[derive(Clone, Copy)]
struct Checkout {
    /// The number of the transaction in which it was taken.
    taken_in: u64,
    lease: Duration,
    renew_at: Instant,
}

/// What one poll of a queue finds.
pub(crate) enum Polled {
    Item(Item),
    /// No item is pending. The next poll is due in this many milliseconds; `None` if no lease is open.
    Empty {
        next_poll: Option<u64>,
    },
    /// The workspace is not open in this process.
    Closed,
}

impl Checkouts {
    /// Checks out the next item of a queue.
    pub(crate) fn dequeue(&self, session: &mut Session, name: &str, lease: u32) -> Result<Option<Item>, Error> {
        let item = session.call_after_expiry(|tables| queue::dequeue(tables, name, lease))?;
        Ok(item.map(|item| self.take(item, lease, session)))
    }

    /// As `dequeue`, without waiting for another process.
    pub(crate) fn poll(&self, session: &mut Session, name: &str, lease: u32) -> Result<Polled, Error> {
        let polled = session.call_if_open(|tables| {
            Ok(match queue::dequeue(tables, name, lease)? {
                Some(item) => Polled::Item(item),
                None => Polled::Empty { next_poll: queue::until_next_poll(tables) },
            })
        })?;
        Ok(match polled.unwrap_or(Polled::Closed) {
            Polled::Item(item) => Polled::Item(self.take(item, lease, session)),
            other => other,
        })
    }

    /// Ends a checkout whose work succeeded.
    pub(crate) fn commit(&self, session: &mut Session, id: u64) -> Result<(), Error> {
        session.call(|tables| queue::commit(tables, id))?;
        session.queues().release([id]);
        self.release(id, session.last_transaction());
        Ok(())
    }

    /// Ends a checkout whose work failed. Returns false if it had already ended.
    pub(crate) fn abort(&self, session: &mut Session, id: u64, error: Option<&str>) -> Result<bool, Error> {
        let aborted = session.call(|tables| queue::abort(tables, id, error))?;
        session.queues().release([id]);
        self.release(id, session.last_transaction());
        Ok(aborted)
    }

    /// Records an item that the run has checked out.
    fn take(&self, item: Item, lease: u32, session: &Session) -> Item {
        session.queues().hold(item.id);
        self.add(item.id, lease, session.last_transaction());
        item
    }

    fn add(&self, id: u64, lease: u32, taken_in: u64) {
        let lease = Duration::from_millis(lease.into());
        let renew_at = Instant::now() + lease / 3;
        let mut state = self.state();
        if state.lost == Some(taken_in) {
            return;
        }
        state.open.insert(id, Checkout { taken_in, lease, renew_at });
        if state.wakes_at.is_none_or(|wakes_at| renew_at < wakes_at) {
            state.wakes_at = Some(renew_at);
            self.0.wake_up.notify_one();
        }
    }

    /// Records that a checkout has ended in the transaction with this number.
    fn release(&self, id: u64, ended_in: u64) {
        let mut state = self.state();
        if state.lost == Some(ended_in) {
            return;
        }
        let Some(checkout) = state.open.remove(&id) else { return };
        if state.ended_in != ended_in {
            state.ended_in = ended_in;
            state.ended.clear();
        }
        state.ended.push((id, checkout));
    }

    /// Records that the transaction with this number is lost: an item that was taken in it is pending, and another run
    /// may have it by now; a checkout that ended in it is open.
    pub(crate) fn lose(&self, number: u64) {
        let mut state = self.state();
        state.lost = Some(number);
        if state.ended_in == number {
            let ended = std::mem::take(&mut state.ended);
            state.open.extend(ended);
        }
        state.open.retain(|_, checkout| checkout.taken_in != number);
    }

    /// Lets the leases end, because the run has ended.
    fn let_expire(&self, workspace: &Workspace) {
        workspace.data().queue().release(self.state().open.keys().copied());
    }

    fn is_empty(&self) -> bool {
        self.state().open.is_empty()
    }

    /// Renews each lease when a third of it has passed, until the future is dropped.
    async fn renew_forever(&self, workspace: &Workspace) {
        loop {
            let wake_up = self.0.wake_up.notified();
            match self.next() {
                None => wake_up.await,
                Some(at) => tokio::select! {
                    () = wake_up => {}
                    () = sleep_until(at.into()) => self.renew_due(workspace).await,
                },
            }
        }
    }

    /// Aborts all checkouts. Waits for the workspace at most until `until`.
    fn abort_all(&self, workspace: &Workspace, error: &str, until: Instant) -> Result<(), Error> {
        let ids: Vec<_> = std::mem::take(&mut self.state().open).into_keys().collect();
        let session = workspace.session(until, Box::new(|_| {}));
        let mut session = session.despite_interruption();
        for ids in ids.chunks(BATCH) {
            session.call(|t| ids.iter().try_for_each(|id| queue::abort(t, *id, Some(error)).map(drop)))?;
        }
        session.finish().map_err(|lost| Error::ending(lost.message))
    }

    async fn renew_due(&self, workspace: &Workspace) {
        let (checkouts, workspace) = (self.clone(), workspace.clone());
        if let Err(panicked) = spawn_blocking(move || checkouts.renew(&workspace)).await {
            tracing::error!(%panicked, "leases were not renewed");
        }
    }

    fn renew(&self, workspace: &Workspace) {
        let now = Instant::now();
        let due: Vec<_> = self.state().open.iter().filter(|(_, one)| one.renew_at <= now).map(|(id, _)| *id).collect();
        let mut session = workspace.session(now + RENEWAL_TIMEOUT, Box::new(|_| {}));
        for ids in due.chunks(BATCH) {
            match session.call(|t| queue::renew(t, ids)) {
                Ok(gone) => {
                    self.plan_renewal(ids, 3);
                    self.state().open.retain(|id, _| !gone.contains(id));
                }
                Err(error) => {
                    tracing::warn!("leases were not renewed: {error}");
                    self.plan_renewal(ids, RETRY_DIVISOR);
                }
            }
        }
    }

    /// Plans the next renewal of these checkouts: after their lease divided by `divisor`.
    fn plan_renewal(&self, ids: &[u64], divisor: u32) {
        let (mut state, now) = (self.state(), Instant::now());
        for id in ids {
            // The checkout may have ended meanwhile.
            if let Some(checkout) = state.open.get_mut(id) {
                checkout.renew_at = now + checkout.lease / divisor;
            }
        }
    }

    /// Returns when the next renewal is due.
    fn next(&self) -> Option<Instant> {
        let mut state = self.state();
        state.wakes_at = state.open.values().map(|checkout| checkout.renew_at).min();
        state.wakes_at
    }

    fn state(&self) -> MutexGuard<'_, CheckoutState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Renews the leases of a run's checkouts while the run lives, and aborts the checkouts of a run that fails or is
/// dropped.
pub(crate) struct LeaseKeeper {
    checkouts: Checkouts,
    /// `None` when the run has no workspace, or has ended.
    workspace: Option<Workspace>,
}

impl LeaseKeeper {
    pub(crate) fn new(checkouts: Checkouts, workspace: Option<Workspace>) -> Self {
        Self { checkouts, workspace }
    }

    /// Renews the leases until the run has ended.
    pub(crate) async fn during<T>(&self, run: impl Future<Output = T>) -> T {
        let Some(workspace) = &self.workspace else { return run.await };
        tokio::select! {
            ended = run => ended,
            // `renew_forever` never returns.
            () = self.checkouts.renew_forever(workspace) => std::future::pending().await,
        }
    }

    /// Aborts the checkouts of a run that failed. Waits for the workspace at most until `until`.
    /// The checkouts of a run that succeeded stay open until their leases expire; a later run may commit or abort them
    /// by id.
    pub(crate) async fn end(mut self, failure: Option<&Failure>, until: Instant) {
        let Some(workspace) = self.workspace.take() else { return };
        self.checkouts.let_expire(&workspace);
        let Some(failure) = failure else { return };
        if self.checkouts.is_empty() {
            return;
        }
        let (checkouts, message) = (self.checkouts.clone(), abort_message(failure));
        if let Err(panicked) = spawn_blocking(move || abort(&checkouts, &workspace, &message, until)).await {
            tracing::error!(%panicked, "checkouts were not aborted");
        }
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        if let Some(workspace) = self.workspace.take().filter(|_| !self.checkouts.is_empty()) {
            self.checkouts.let_expire(&workspace);
            abort(&self.checkouts, &workspace, "the run was stopped", Instant::now() + DROP_TIMEOUT);
        }
    }
}

/// Aborts all checkouts. If this fails, they expire at the end of their leases.
fn abort(checkouts: &Checkouts, workspace: &Workspace, message: &str, until: Instant) {
    if let Err(error) = checkouts.abort_all(workspace, message, until) {
        tracing::warn!("checkouts were not aborted, and will expire: {error}");
    }
}

/// Returns the message of a failure. That of an exception does not contain the class name (`TypeError`).
fn abort_message(failure: &Failure) -> String {
    match failure {
        Failure::Exception(exception) => exception.message.clone(),
        other => other.to_string(),
    }
}
