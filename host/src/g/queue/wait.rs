//! Waiting for an item. Who waits holds neither the database nor a thread: it sleeps until there are news, or until the
//! next lease ends.

use std::{sync::Arc, time::Duration};

use tokio::{task::spawn_blocking, time::Instant};

use super::Item;
use crate::{Error, ErrorCode, workspace::Workspace};

/// How long the workspace is waited for, for the first look, as every call does.
const PATIENCE: Duration = Duration::from_secs(10);

/// When a look is tried again for which another process held the workspace too long.
const AGAIN: Duration = Duration::from_millis(500);

/// What a look shows.
pub(super) enum Look {
    Found(Item),
    /// None is pending; the next lease ends so many milliseconds from now.
    Nothing {
        next_lapse: Option<u64>,
    },
    /// The workspace is not open in this process.
    Closed,
}

/// Looks until there is an item, or the time is over. `look` must not wait.
pub(super) async fn for_item(
    workspace: &Workspace,
    timeout: Option<Duration>,
    mut look: impl FnMut() -> Result<Look, Error>,
) -> Result<Option<Item>, Error> {
    let (started, process) = (Instant::now(), Arc::clone(workspace.queue()));
    let until = timeout.map(|timeout| started + timeout);
    let is_over = || until.is_some_and(|until| until <= Instant::now());
    let mut has_looked = false;
    loop {
        let seen = process.notices().version();
        let wake = match look()? {
            Look::Found(item) => return Ok(Some(item)),
            Look::Nothing { next_lapse } => {
                has_looked = true;
                next_lapse.map(|left| Instant::now() + Duration::from_millis(left))
            }
            Look::Closed if has_looked && is_over() => return Ok(None),
            Look::Closed => {
                // The first look is made, however short the time is.
                let patience = until.filter(|_| has_looked).unwrap_or(Instant::now() + PATIENCE);
                match open(workspace, patience).await {
                    Ok(()) => continue,
                    // What woke it is still to be looked at.
                    Err(error) if error.code == ErrorCode::Busy && has_looked => Some(Instant::now() + AGAIN),
                    Err(error) => return Err(error),
                }
            }
        };
        if !is_over() {
            process.notices().changed(seen, [until, wake].into_iter().flatten().min()).await;
        }
        if is_over() {
            return Ok(None);
        }
    }
}

/// Opens the workspace, on a thread that may wait for another process.
async fn open(workspace: &Workspace, until: Instant) -> Result<(), Error> {
    let workspace = workspace.clone();
    match spawn_blocking(move || workspace.open(until.into_std())).await {
        Ok(opened) => opened,
        Err(panicked) => Err(Error::new(ErrorCode::Internal, "the workspace was not opened").because(panicked)),
    }
}
