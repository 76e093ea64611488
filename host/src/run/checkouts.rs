//! The checkouts of a run, from `dequeue` to their end.
//!
//! ```text
//! dequeue ──► checked out ──► commit            the work succeeded
//!             │ renewed while  abort            the work failed, or the run failed or was dropped: back to the queue
//!             │ the run lives  lose             the transaction that took it was lost: it may be another run's by now
//!             └──────────────► expiry           the lease was not renewed (`data/queue/expiry.rs`): back to the queue
//! ```
//!
//! The rows of checkouts are in `data/queue`; here is what a run knows of its own.

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

/// How long a renewal waits for the workspace: longer than a call.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(10);
/// A failed renewal is repeated after this part of the lease.
const RETRY_PART: u32 = 10;
/// How many checkouts one call aborts or renews; other calls are executed in between.
const BATCH: usize = 256;

/// How long the abort of a run that is dropped waits for the workspace: its caller waits too.
const DROP_TIMEOUT: Duration = Duration::from_secs(1);

/// The checkouts of one run; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Checkouts(Arc<Inner>);

#[derive(Default)]
struct Inner {
    live: Mutex<Live>,
    /// A new checkout has to be renewed earlier than the next one.
    earlier: Notify,
}

#[derive(Default)]
struct Live {
    of_run: HashMap<u64, Checkout>,
    /// The checkouts that ended in the transaction `ended_in`, the last in which any ended: if it is lost, they are open.
    ended: Vec<(u64, Checkout)>,
    ended_in: u64,
    /// The transaction that was lost: the last one that the run took part in.
    lost: Option<u64>,
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
    /// No item is pending; the next lease ends in this many milliseconds.
    Empty {
        next_expiry: Option<u64>,
    },
    /// The workspace is not open in this process.
    Closed,
}

impl Checkouts {
    /// Checks out the next item of a queue.
    pub(crate) fn dequeue(&self, session: &mut Session, name: &str, lease: u32) -> Result<Option<Item>, Error> {
        let item = session.call(|tables| queue::dequeue(tables, name, lease))?;
        Ok(item.map(|item| self.take(item, lease, session.last_transaction())))
    }

    /// The same without waiting for another process.
    pub(crate) fn poll(&self, session: &mut Session, name: &str, lease: u32) -> Result<Polled, Error> {
        let polled = session.call_if_open(|tables| {
            Ok(match queue::dequeue(tables, name, lease)? {
                Some(item) => Polled::Item(item),
                None => Polled::Empty { next_expiry: queue::until_next_expiry(tables) },
            })
        })?;
        Ok(match polled.unwrap_or(Polled::Closed) {
            Polled::Item(item) => Polled::Item(self.take(item, lease, session.last_transaction())),
            other => other,
        })
    }

    /// Ends a checkout whose work succeeded.
    pub(crate) fn commit(&self, session: &mut Session, id: u64) -> Result<(), Error> {
        session.call(|tables| queue::commit(tables, id))?;
        self.release(id, session.last_transaction());
        Ok(())
    }

    /// Ends a checkout whose work failed. False when it had already ended.
    pub(crate) fn abort(&self, session: &mut Session, id: u64, error: Option<&str>) -> Result<bool, Error> {
        let aborted = session.call(|tables| queue::abort(tables, id, error))?;
        self.release(id, session.last_transaction());
        Ok(aborted)
    }

    /// The run has checked out an item, in the transaction with this number.
    fn take(&self, item: Item, lease: u32, taken_in: u64) -> Item {
        self.add(item.id, lease, taken_in);
        item
    }

    fn add(&self, id: u64, lease: u32, taken_in: u64) {
        let lease = Duration::from_millis(lease.into());
        let renew_at = Instant::now() + lease / 3;
        let mut live = self.live();
        if live.lost == Some(taken_in) {
            return;
        }
        live.of_run.insert(id, Checkout { taken_in, lease, renew_at });
        if live.wakes_at.is_none_or(|wakes_at| renew_at < wakes_at) {
            live.wakes_at = Some(renew_at);
            self.0.earlier.notify_one();
        }
    }

    /// A checkout has ended, in the transaction with this number.
    fn release(&self, id: u64, ended_in: u64) {
        let mut live = self.live();
        if live.lost == Some(ended_in) {
            return;
        }
        let Some(checkout) = live.of_run.remove(&id) else { return };
        if live.ended_in != ended_in {
            live.ended_in = ended_in;
            live.ended.clear();
        }
        live.ended.push((id, checkout));
    }

    /// The transaction with this number is lost: an item that was taken in it is pending, and may be another run's by now; a
    /// checkout that ended in it is open.
    pub(crate) fn lose(&self, number: u64) {
        let mut live = self.live();
        live.lost = Some(number);
        if live.ended_in == number {
            let ended = std::mem::take(&mut live.ended);
            live.of_run.extend(ended);
        }
        live.of_run.retain(|_, checkout| checkout.taken_in != number);
    }

    fn is_empty(&self) -> bool {
        self.live().of_run.is_empty()
    }

    /// Renews the leases while it is polled, each when a third of it has passed.
    async fn keep(&self, workspace: &Workspace) {
        loop {
            let earlier = self.0.earlier.notified();
            match self.next() {
                None => earlier.await,
                Some(at) => tokio::select! {
                    () = earlier => {}
                    () = sleep_until(at.into()) => self.renew_due(workspace).await,
                },
            }
        }
    }

    /// Aborts all checkouts. Waits for the workspace at most until then.
    fn abort_all(&self, workspace: &Workspace, error: &str, until: Instant) -> Result<(), Error> {
        let ids: Vec<_> = std::mem::take(&mut self.live().of_run).into_keys().collect();
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
        let due: Vec<_> = self.live().of_run.iter().filter(|(_, one)| one.renew_at <= now).map(|(id, _)| *id).collect();
        let mut session = workspace.session(now + RENEWAL_TIMEOUT, Box::new(|_| {}));
        for ids in due.chunks(BATCH) {
            match session.call(|t| queue::renew(t, ids)) {
                Ok(gone) => {
                    self.renewed(ids, 3);
                    self.live().of_run.retain(|id, _| !gone.contains(id));
                }
                Err(error) => {
                    tracing::warn!("leases were not renewed: {error}");
                    self.renewed(ids, RETRY_PART);
                }
            }
        }
    }

    /// The next renewal is due when this part of the lease has passed.
    fn renewed(&self, ids: &[u64], part: u32) {
        let (mut live, now) = (self.live(), Instant::now());
        for id in ids {
            // It may have been committed meanwhile.
            if let Some(checkout) = live.of_run.get_mut(id) {
                checkout.renew_at = now + checkout.lease / part;
            }
        }
    }

    /// When the next renewal is due.
    fn next(&self) -> Option<Instant> {
        let mut live = self.live();
        live.wakes_at = live.of_run.values().map(|checkout| checkout.renew_at).min();
        live.wakes_at
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Renews the leases of a run's checkouts while the run lives, and aborts the checkouts of a run that fails or is dropped.
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
            // It never returns.
            () = self.checkouts.keep(workspace) => std::future::pending().await,
        }
    }

    /// Aborts the checkouts of a run that failed, waiting for the workspace at most until then. A run that succeeded leaves
    /// its checkouts open for later runs.
    pub(crate) async fn end(mut self, failure: Option<&Failure>, until: Instant) {
        let (Some(workspace), Some(failure)) = (self.workspace.take(), failure) else { return };
        if self.checkouts.is_empty() {
            return;
        }
        let (checkouts, message) = (self.checkouts.clone(), told(failure));
        if let Err(panicked) = spawn_blocking(move || abort(&checkouts, &workspace, &message, until)).await {
            tracing::error!(%panicked, "checkouts were not aborted");
        }
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        if let Some(workspace) = self.workspace.take().filter(|_| !self.checkouts.is_empty()) {
            abort(&self.checkouts, &workspace, "the run was stopped", Instant::now() + DROP_TIMEOUT);
        }
    }
}

/// A checkout that can't be aborted expires at the end of its lease.
fn abort(checkouts: &Checkouts, workspace: &Workspace, message: &str, until: Instant) {
    if let Err(error) = checkouts.abort_all(workspace, message, until) {
        tracing::warn!("checkouts were not aborted, and will expire: {error}");
    }
}

/// The message of a failure, without the class of an exception.
fn told(failure: &Failure) -> String {
    match failure {
        Failure::Exception(exception) => exception.message.clone(),
        other => other.to_string(),
    }
}
