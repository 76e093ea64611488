//! Waiting for an item. A waiter holds neither the database nor a thread: it polls once, then sleeps until it is
//! notified or the next lease ends.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{Error, ErrorCode, data::queue::Item, run::Polled, workspace::Workspace};

/// How long the first poll may take; like every call, it waits for the workspace for at most 5 s.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a waiter sleeps when another process has the workspace for too long.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Waits until an item is available, or the time is over. `poll` must not block.
pub(super) async fn for_item(
    workspace: &Workspace,
    timeout: Option<Duration>,
    mut poll: impl FnMut() -> Result<Polled, Error>,
) -> Result<Option<Item>, Error> {
    let (started, queues) = (Instant::now(), Arc::clone(workspace.data().queue()));
    let until = timeout.map(|timeout| started + timeout);
    let is_over = || until.is_some_and(|until| until <= Instant::now());
    let mut has_polled = false;
    loop {
        let seen = queues.notifier().version();
        let wake = match poll()? {
            Polled::Item(item) => return Ok(Some(item)),
            Polled::Empty { next_poll } => {
                has_polled = true;
                next_poll.map(|left| Instant::now() + Duration::from_millis(left))
            }
            Polled::Closed if has_polled && is_over() => return Ok(None),
            Polled::Closed => {
                // The queue is polled at least once, however short the time is.
                let open_until = until.filter(|_| has_polled).unwrap_or(Instant::now() + OPEN_TIMEOUT);
                match workspace.open_in_background(open_until.into_std()).await {
                    Ok(()) => continue,
                    // The queue has not been polled yet since the notification that woke the waiter.
                    Err(error) if error.code == ErrorCode::Busy && has_polled => Some(Instant::now() + RETRY_DELAY),
                    Err(error) => return Err(error),
                }
            }
        };
        if !is_over() {
            queues.notifier().changed(seen, [until, wake].into_iter().flatten().min()).await;
        }
        if is_over() {
            return Ok(None);
        }
    }
}
