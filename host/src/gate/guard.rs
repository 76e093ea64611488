//! What a call must not just drop.

use std::{
    future::Future,
    ops::{Deref, DerefMut},
    pin::Pin,
};

use tokio::{runtime::Handle, time::timeout};
use tokio_util::task::TaskTracker;

use super::CLEAN_UP;

type CleanUp<R> = Box<dyn FnOnce(R) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// Something at a remote system: a connection with a statement on it, an upload, a cursor. Dropped, it is cleaned up
/// beside, which the run's end waits for.
pub(crate) struct CleanupGuard<R: Send + 'static> {
    /// There until it is dropped.
    inner: Option<(R, CleanUp<R>)>,
    trackers: [TaskTracker; 2],
    runtime: Handle,
}

impl<R: Send + 'static> CleanupGuard<R> {
    pub(super) fn new<F>(
        resource: R,
        trackers: [TaskTracker; 2],
        clean_up: impl FnOnce(R) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let clean_up: CleanUp<R> = Box::new(|resource| Box::pin(clean_up(resource)));
        Self { inner: Some((resource, clean_up)), trackers, runtime: Handle::current() }
    }
}

const GUARDED: &str = "it is taken by drop alone";

impl<R: Send + 'static> Deref for CleanupGuard<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.inner.as_ref().expect(GUARDED).0
    }
}

impl<R: Send + 'static> DerefMut for CleanupGuard<R> {
    fn deref_mut(&mut self) -> &mut R {
        &mut self.inner.as_mut().expect(GUARDED).0
    }
}

impl<R: Send + 'static> Drop for CleanupGuard<R> {
    fn drop(&mut self) {
        let Some((resource, clean_up)) = self.inner.take() else { return };
        let [run, host] = &self.trackers;
        let cleaned = async move {
            if timeout(CLEAN_UP, clean_up(resource)).await.is_err() {
                tracing::warn!("what a cut call left at a remote system was not cleaned up within {CLEAN_UP:?}");
            }
        };
        self.runtime.spawn(run.track_future(host.track_future(cleaned)));
    }
}
