//! What a run has checked out: the host renews its leases while the run lives, and aborts what is open when it fails.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::Notify, task::spawn_blocking, time::sleep_until};

use super::{abort, renew};
use crate::{Error, workspace::Workspace};

/// How long a renewal waits for the workspace, beyond what a call waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// When a renewal is tried again that failed, as a part of the lease.
const AGAIN: u32 = 10;
/// How many checkouts are aborted or renewed in one call: other runs want their turn.
const AT_A_TIME: usize = 256;

/// The checkouts of one run; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<Inner>);

#[derive(Default)]
struct Inner {
    checkouts: Mutex<Checkouts>,
    /// Somebody took a checkout that is to be renewed earlier than what is waited for.
    earlier: Notify,
}

#[derive(Default)]
struct Checkouts {
    of_run: HashMap<u64, Checkout>,
    /// Those that ended in the transaction with this number, the last in which any did: if it is lost, they have not.
    ended: Vec<(u64, Checkout)>,
    ended_in: u64,
    /// The transaction that was lost, which is the last that the run took part in.
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

impl Held {
    /// The run has checked out an item, in the transaction with this number.
    pub(super) fn take(&self, id: u64, lease: u32, taken_in: u64) {
        let lease = Duration::from_millis(lease.into());
        let renew_at = Instant::now() + lease / 3;
        let mut checkouts = self.checkouts();
        if checkouts.lost == Some(taken_in) {
            return;
        }
        checkouts.of_run.insert(id, Checkout { taken_in, lease, renew_at });
        if checkouts.wakes_at.is_none_or(|wakes_at| renew_at < wakes_at) {
            checkouts.wakes_at = Some(renew_at);
            self.0.earlier.notify_one();
        }
    }

    /// A checkout has ended, in the transaction with this number.
    pub(super) fn release(&self, id: u64, ended_in: u64) {
        let mut checkouts = self.checkouts();
        if checkouts.lost == Some(ended_in) {
            return;
        }
        let Some(checkout) = checkouts.of_run.remove(&id) else { return };
        if checkouts.ended_in != ended_in {
            checkouts.ended_in = ended_in;
            checkouts.ended.clear();
        }
        checkouts.ended.push((id, checkout));
    }

    /// What was done in the transaction with this number is lost: what was taken in it is not checked out, and may be another
    /// run's by now; what ended in it is.
    pub(crate) fn lose(&self, number: u64) {
        let mut checkouts = self.checkouts();
        checkouts.lost = Some(number);
        if checkouts.ended_in == number {
            let ended = std::mem::take(&mut checkouts.ended);
            checkouts.of_run.extend(ended);
        }
        checkouts.of_run.retain(|_, checkout| checkout.taken_in != number);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.checkouts().of_run.is_empty()
    }

    /// Renews the leases as long as it is polled, each when a third of it has passed.
    pub(crate) async fn keep(&self, workspace: &Workspace) {
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

    /// Aborts all that is checked out. It may wait for the workspace, until then.
    pub(crate) fn abort_all(&self, workspace: &Workspace, error: &str, until: Instant) -> Result<(), Error> {
        let ids: Vec<_> = std::mem::take(&mut self.checkouts().of_run).into_keys().collect();
        let session = workspace.session(until, Box::new(|_| {}));
        let mut session = session.despite_interruption();
        for ids in ids.chunks(AT_A_TIME) {
            session.call(|t| ids.iter().try_for_each(|id| abort(t, *id, Some(error)).map(drop)))?;
        }
        session.finish().map_err(|lost| Error::ending(lost.message))
    }

    async fn renew_due(&self, workspace: &Workspace) {
        let (held, workspace) = (self.clone(), workspace.clone());
        if let Err(panicked) = spawn_blocking(move || held.renew(&workspace)).await {
            tracing::error!(%panicked, "leases were not renewed");
        }
    }

    fn renew(&self, workspace: &Workspace) {
        let now = Instant::now();
        let due: Vec<_> =
            self.checkouts().of_run.iter().filter(|(_, one)| one.renew_at <= now).map(|(id, _)| *id).collect();
        let mut session = workspace.session(now + PATIENCE, Box::new(|_| {}));
        for ids in due.chunks(AT_A_TIME) {
            match session.call(|t| renew(t, ids)) {
                Ok(gone) => {
                    self.renewed(ids, 3);
                    self.checkouts().of_run.retain(|id, _| !gone.contains(id));
                }
                Err(error) => {
                    tracing::warn!("leases were not renewed: {error}");
                    self.renewed(ids, AGAIN);
                }
            }
        }
    }

    /// They are due again when this part of the lease has passed.
    fn renewed(&self, ids: &[u64], part: u32) {
        let (mut checkouts, now) = (self.checkouts(), Instant::now());
        for id in ids {
            // It may have been committed meanwhile.
            if let Some(checkout) = checkouts.of_run.get_mut(id) {
                checkout.renew_at = now + checkout.lease / part;
            }
        }
    }

    /// When the next lease is to be renewed.
    fn next(&self) -> Option<Instant> {
        let mut checkouts = self.checkouts();
        checkouts.wakes_at = checkouts.of_run.values().map(|checkout| checkout.renew_at).min();
        checkouts.wakes_at
    }

    fn checkouts(&self) -> MutexGuard<'_, Checkouts> {
        self.0.checkouts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
