//! One call that has passed the gate. Only such a call has secrets, pools and guards.
//!
//! [`Gate::call`](super::Gate::call) makes it for an external method: no method reaches another system without the flush, the
//! permit and the deadline. [`Gate::call_synchronous`](super::Gate::call_synchronous) makes it for a synchronous function of the
//! embedder, with the flush only: its work can't await, and so can't use the clients of a `Call`.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::task::spawn_blocking;

use super::{ByteCounter, CleanupGuard, Pool, RunState, guard::CleanupTasks};
use crate::{
    Error, ErrorCode, Timeouts,
    secrets::{self, Secret},
};

/// A call that has passed the gate.
pub(crate) struct Call<'g> {
    pub(super) run: &'g RunState,
}

impl Call<'_> {
    /// Returns the secret of a name.
    ///
    /// Fails with `invalid-argument` for a malformed name, and with `secret-not-found`.
    pub(crate) async fn secret(&self, name: &str) -> Result<Secret, Error> {
        // A connection string may contain a password, so the message omits it.
        if name.contains("://") {
            return Err(Error::invalid(
                "conn is the name of a secret, not a connection string; to store one: ghost secret set NAME",
            ));
        }
        secrets::check_name(name)?;
        let Some(secrets) = self.run.secrets.clone() else { return Err(secrets::not_found(name)) };
        let owned = name.to_owned();
        let found = spawn_blocking(move || secrets.get(&owned)).await.map_err(Error::internal)??;
        found.ok_or_else(|| secrets::not_found(name))
    }

    /// Returns the pool for a secret, which all runs of the host share; opens it when there is none. From then on, the
    /// words of the secret are removed from all errors of the run wherever they stand alone, not inside a longer word. Words of
    /// fewer than three characters, and words in the arguments of the call that failed, are not removed.
    ///
    /// Fails with `secret-invalid` when the secret is malformed, or contains a path although paths are disallowed.
    pub(crate) fn pool<P: Pool>(&self, secret: &Secret) -> Result<Arc<P>, Error> {
        let timeouts = &self.run.timeouts;
        let pool =
            self.run.connections.pools.of::<P>().get(secret, timeouts.idle, || P::from_secret(secret, timeouts))?;
        if let Some(option) = pool.path_option().filter(|_| !secret.may_have_paths()) {
            let message =
                format!("file paths are not allowed here, but {option} of the connection string contains one");
            return Err(Error::new(ErrorCode::SecretInvalid, message));
        }
        self.run.redactor().add(pool.secret_words());
        Ok(pool)
    }

    /// Returns the pool for the secret of a name. Fails as [`secret`](Self::secret) and [`pool`](Self::pool) do.
    pub(crate) async fn pool_of<P: Pool>(&self, name: &str) -> Result<Arc<P>, Error> {
        let secret = self.secret(name).await?;
        self.pool(&secret)
    }

    /// The time limits of the steps of a call.
    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.run.timeouts
    }

    /// Returns the time that is left for the run. Callers can pass it to the server as a time limit.
    pub(crate) fn remaining(&self) -> Duration {
        self.run.time_left()
    }

    /// Returns a counter for the memory of an answer.
    pub(crate) fn answer_counter(&self) -> ByteCounter {
        ByteCounter::new(Arc::clone(&self.run.answers))
    }

    /// Returns a counter for the memory that arguments need in the host in addition to their own text.
    pub(crate) fn argument_counter(&self) -> ByteCounter {
        ByteCounter::new(Arc::clone(&self.run.arguments))
    }

    /// Counts a part of an argument that arrives as a stream, until the returned counter is dropped.
    ///
    /// Fails with `limit` when the arguments of the calls in flight exceed the memory of the run.
    pub(crate) fn count_argument_bytes(&self, bytes: usize) -> Result<ByteCounter, Error> {
        self.run.count_argument_bytes(bytes)
    }

    /// Removes the words of the run's secrets from a server's text that becomes part of a result, except words that the
    /// script passed itself. (The gate does this for errors.)
    pub(crate) fn redact(&self, text: &str, is_given: impl Fn(&str) -> bool) -> String {
        self.run.redactor().redact_text(text, is_given)
    }

    /// Guards a resource that must not just be dropped. If the guard is dropped before it is disarmed, because the call
    /// failed or was cancelled, `clean_up` runs in the background, for at most one second.
    pub(crate) fn guard<R, F>(&self, resource: R, clean_up: impl FnOnce(R) -> F + Send + 'static) -> CleanupGuard<R>
    where
        R: Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        CleanupGuard::new(resource, CleanupTasks::new(&self.run.cleanup_tasks, &self.run.connections.tasks), clean_up)
    }
}
