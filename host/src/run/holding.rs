//! What becomes of a run's checkouts: their leases are renewed while it lives, and they are aborted when it fails.

use std::{
    future::Future,
    time::{Duration, Instant},
};

use tokio::task::spawn_blocking;

use crate::{Failure, g::queue::Held, workspace::Workspace};

/// How long the workspace is waited for to abort them when a run is stopped: whoever stops it waits as well.
const PATIENCE_AT_STOP: Duration = Duration::from_secs(1);

/// The checkouts of a run. A run that is dropped aborts them as one that fails does.
pub(crate) struct Holding {
    held: Held,
    /// None when the run has none, or has ended.
    workspace: Option<Workspace>,
}

impl Holding {
    pub(crate) fn new(held: Held, workspace: Option<Workspace>) -> Self {
        Self { held, workspace }
    }

    /// Renews the leases until the run has ended.
    pub(crate) async fn during<T>(&self, run: impl Future<Output = T>) -> T {
        let Some(workspace) = &self.workspace else { return run.await };
        tokio::select! {
            ended = run => ended,
            // It goes on for ever.
            () = self.held.keep(workspace) => std::future::pending().await,
        }
    }

    /// A run that failed aborts what it has checked out, and waits for the workspace so long; one that ended well leaves it
    /// to later runs.
    pub(crate) async fn end(mut self, failure: Option<&Failure>, until: Instant) {
        let (Some(workspace), Some(failure)) = (self.workspace.take(), failure) else { return };
        if self.held.is_empty() {
            return;
        }
        let (held, message) = (self.held.clone(), told(failure));
        if let Err(panicked) = spawn_blocking(move || abort(&held, &workspace, &message, until)).await {
            tracing::error!(%panicked, "checkouts were not aborted");
        }
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        if let Some(workspace) = self.workspace.take().filter(|_| !self.held.is_empty()) {
            abort(&self.held, &workspace, "the run was stopped", Instant::now() + PATIENCE_AT_STOP);
        }
    }
}

/// Who can't be told expires: the lease ends by itself.
fn abort(held: &Held, workspace: &Workspace, message: &str, until: Instant) {
    if let Err(error) = held.abort_all(workspace, message, until) {
        tracing::warn!("checkouts were not aborted, and will expire: {error}");
    }
}

/// As `abort` takes it of an Error: the message, without its class.
fn told(failure: &Failure) -> String {
    match failure {
        Failure::Exception(exception) => exception.message.clone(),
        other => other.to_string(),
    }
}
