//! Resources that have to be cleaned up when their call fails or is cancelled: most of them at a remote system.

use std::{
    future::Future,
    ops::{Deref, DerefMut},
    pin::Pin,
};

use tokio::{runtime::Handle, time::timeout};
use tokio_util::task::TaskTracker;

use super::CLEAN_UP_TIMEOUT;

type CleanUp<R> = Box<dyn FnOnce(R) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A resource: a connection with a statement on it, an upload, a cursor, the unfinished file of a download. Dropping the
/// guard cleans the resource up in the background: the call was cancelled, or its work returned an error. [`done`](Self::done) and
/// [`done_then`](Self::done_then) disarm the guard.
pub(crate) struct CleanupGuard<R: Send + 'static> {
    /// None once the guard is disarmed or dropped.
    inner: Option<(R, CleanUp<R>)>,
    cleanup_tasks: CleanupTasks,
}

impl<R: Send + 'static> CleanupGuard<R> {
    pub(super) fn new<F>(
        resource: R,
        cleanup_tasks: CleanupTasks,
        clean_up: impl FnOnce(R) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let clean_up: CleanUp<R> = Box::new(|resource| Box::pin(clean_up(resource)));
        Self { inner: Some((resource, clean_up)), cleanup_tasks }
    }

    /// Disarms the guard and returns the resource: the work on it succeeded, and nothing is cleaned up.
    pub(crate) fn done(mut self) -> R {
        self.inner.take().expect(RESOURCE_IS_PRESENT).0
    }

    /// Disarms the guard and runs `finish` in the background, for example to return the resource to its pool. The end of the
    /// run waits for it.
    pub(crate) fn done_then<F>(self, finish: impl FnOnce(R) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let cleanup_tasks = self.cleanup_tasks.clone();
        cleanup_tasks.spawn(finish(self.done()));
    }
}

const RESOURCE_IS_PRESENT: &str = "only `done` and `drop` take the resource, and both end the guard";

impl<R: Send + 'static> Deref for CleanupGuard<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.inner.as_ref().expect(RESOURCE_IS_PRESENT).0
    }
}

impl<R: Send + 'static> DerefMut for CleanupGuard<R> {
    fn deref_mut(&mut self) -> &mut R {
        &mut self.inner.as_mut().expect(RESOURCE_IS_PRESENT).0
    }
}

impl<R: Send + 'static> Drop for CleanupGuard<R> {
    fn drop(&mut self) {
        if let Some((resource, clean_up)) = self.inner.take() {
            self.cleanup_tasks.spawn(clean_up(resource));
        }
    }
}

/// Runs clean-up tasks on the current Tokio runtime; the end of the run and `Host::finish_cleanup` wait for them.
#[derive(Clone)]
pub(super) struct CleanupTasks {
    runtime: Handle,
    run: TaskTracker,
    host: TaskTracker,
}

impl CleanupTasks {
    /// Creates a handle to spawn tasks that are tracked by the run and by the host.
    pub(super) fn new(run: &TaskTracker, host: &TaskTracker) -> Self {
        Self { runtime: Handle::current(), run: run.clone(), host: host.clone() }
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let work = async move {
            if timeout(CLEAN_UP_TIMEOUT, work).await.is_err() {
                tracing::warn!("a resource of a call was not cleaned up within {CLEAN_UP_TIMEOUT:?}");
            }
        };
        self.runtime.spawn(self.run.track_future(self.host.track_future(work)));
    }
}
