//! Connections to one database: pooled, reset after each call, and closed when a call was cancelled during a statement.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};

use deadpool::{
    Runtime,
    managed::{self, Metrics, Object, PoolError, QueueMode, RecycleError, RecycleResult, TimeoutType},
};
use tokio::{
    sync::{Notify, OnceCell},
    time::{Instant, timeout_at},
};

use super::{
    config::ConnectionConfig,
    error,
    statement::Text,
    tls::Tls,
    wire::{self, Client, Descriptions, Status},
};
use crate::{
    Error, Timeouts,
    gate::{
        Call, CleanupGuard, Pool,
        error::{no_connection_within, none_free_within},
    },
    secrets::Secret,
};

/// The most connections of a pool.
const CONNECTIONS: usize = 50;

/// Resets the state of a session that a call may have changed: cursors, user, settings, temporary tables, locks.
const RESET: &str = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; \
                     SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

/// The pool for one secret.
pub(crate) struct Database {
    pool: managed::Pool<Manager>,
    /// The time limit for connecting: all hosts together, including TLS and login.
    connect: Duration,
    /// A call has released or closed a connection.
    released: Notify,
}

impl Database {
    /// Returns a connection for the exclusive use of a call, which [releases](PooledConnection::release) it. When the server
    /// allows fewer connections than the pool, the call waits for one that is in use.
    ///
    /// Fails with `unavailable`, `access-denied` and the like when it gets no connection.
    pub(super) async fn connection(self: Arc<Self>, call: &Call<'_>) -> Result<CleanupGuard<PooledConnection>, Error> {
        let until = Instant::now() + call.timeouts().wait;
        loop {
            let released = self.released.notified();
            match self.object(call.timeouts().wait).await {
                Ok(object) => {
                    let connection = PooledConnection { object: Some(object), database: Arc::clone(&self) };
                    return Ok(call.guard(connection, PooledConnection::clean_up));
                }
                Err(error) if error::is_full(&error) && self.pool.status().size > 0 => {
                    timeout_at(until, released).await.map_err(|_| error)?;
                }
                Err(error) => {
                    // Its waiters wait in vain for this one.
                    self.released.notify_one();
                    return Err(error);
                }
            }
        }
    }

    async fn object(&self, wait: Duration) -> Result<Object<Manager>, Error> {
        let connect = self.connect;
        let timeouts = managed::Timeouts { wait: Some(wait), create: Some(connect), recycle: Some(connect) };
        self.pool.timeout_get(&timeouts).await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(TimeoutType::Wait) => none_free_within(wait, CONNECTIONS),
            PoolError::Timeout(_) => no_connection_within(connect),
            other => Error::internal(other.to_string()),
        })
    }
}

impl Pool for Database {
    fn from_secret(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error> {
        let address = ConnectionConfig::read(secret.expose(), timeouts.connect)?;
        let connect = address.connect_timeout().min(timeouts.connect);
        let manager = Manager { address: Arc::new(address), tls: OnceCell::new(), descriptions: Arc::default() };
        // The one used last goes first, so that those that are not needed become idle.
        let pool = managed::Pool::builder(manager).max_size(CONNECTIONS).queue_mode(QueueMode::Lifo);
        let pool = pool.runtime(Runtime::Tokio1).build().map_err(Error::internal)?;
        Ok(Self { pool, connect, released: Notify::new() })
    }

    fn path_option(&self) -> Option<&'static str> {
        self.pool.manager().address.path
    }

    fn idle(&self) -> usize {
        self.pool.status().available
    }

    fn close_idle(&self, time: Duration) {
        let closed = self.pool.retain(|connection, _| connection.idle_since.elapsed() < time);
        drop(closed);
    }

    fn address(&self) -> String {
        self.pool.manager().address.config.address()
    }

    fn secret_words(&self) -> &[String] {
        &self.pool.manager().address.words
    }
}

/// Creates connections.
struct Manager {
    address: Arc<ConnectionConfig>,
    /// Created with the first connection, since reading the file of authorities may block.
    tls: OnceCell<Tls>,
    /// Shared by all connections.
    descriptions: Arc<Descriptions>,
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = Error;

    async fn create(&self) -> Result<Connection, Error> {
        let tls = self.tls.get_or_try_init(|| Tls::load(self.address.security.clone())).await?.clone();
        let client = wire::connect(&self.address.config, &tls).await.map_err(error::of_connecting)?;
        let (address, descriptions) = (Arc::clone(&self.address), Arc::clone(&self.descriptions));
        Ok(Connection { client, address, tls, descriptions, possibly_prepares: false, idle_since: Instant::now() })
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Error> {
        if !connection.client.is_closed() {
            return Ok(());
        }
        let reason = connection.client.closing_error().map_or("it is closed", |answer| &answer.message);
        Err(RecycleError::message(reason.to_owned()))
    }
}

/// What a request may have changed if the connection breaks before its answer was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutcomeIfBroken {
    /// The request has no lasting effect.
    NoEffect,
    /// The server may have executed it: the error has `unknownOutcome`.
    Unknown,
}

/// A connection to a server.
pub(super) struct Connection {
    pub(super) client: Client,
    address: Arc<ConnectionConfig>,
    tls: Tls,
    pub(super) descriptions: Arc<Descriptions>,
    /// A statement since the last reset may have been a `PREPARE`.
    pub(super) possibly_prepares: bool,
    /// When it was returned to the pool.
    idle_since: Instant,
}

impl Connection {
    /// Returns a connection without a pool.
    #[cfg(test)]
    pub(super) fn with(client: Client) -> Self {
        let address = ConnectionConfig::read("host=localhost user=u", Duration::from_secs(1)).unwrap();
        let tls = Tls::new(address.security.check, None).unwrap();
        let idle_since = Instant::now();
        Self {
            client,
            address: Arc::new(address),
            tls,
            descriptions: Arc::default(),
            possibly_prepares: false,
            idle_since,
        }
    }

    /// Makes a request, or takes the next part of its answer. The client counts as running from the first message of a
    /// request to the last of its answer, so a request that is cancelled leaves it [running](Client::is_running).
    ///
    /// `text` is the script's statement, which errors point into; None when the statement is not the script's.
    pub(super) async fn request<T>(
        &mut self,
        text: Option<&Text<'_>>,
        if_broken: OutcomeIfBroken,
        request: impl AsyncFnOnce(&mut Client) -> Result<T, wire::Error>,
    ) -> Result<T, Error> {
        request(&mut self.client).await.map_err(|error| {
            let outcome_unknown = if_broken == OutcomeIfBroken::Unknown && self.client.has_sent();
            error::of_request(error, text, outcome_unknown)
        })
    }

    /// Cancels the statement that is running.
    async fn cancel(&self) {
        let Some(key) = self.client.cancel_key() else { return };
        if let Err(error) = wire::cancel(&key, &self.address.config, &self.tls).await {
            tracing::debug!("a statement could not be cancelled: {error:?}");
        }
    }
}

/// A connection that a call has taken from the pool. Dropped, it is closed.
pub(super) struct PooledConnection {
    object: Option<Object<Manager>>,
    /// Keeps the pool in use: the secret gets no second pool while one of its connections is open.
    database: Arc<Database>,
}

impl PooledConnection {
    /// Returns a connection to its pool in the background. One whose answer was not read to its end is cleaned up instead.
    pub(super) fn release(guard: CleanupGuard<Self>) {
        if !guard.client.is_running() {
            guard.done_then(Self::reset);
        }
    }

    /// Cleans up after a cancelled call: cancels the statement that is running and closes the connection. A broken one is only closed.
    async fn clean_up(mut self) {
        if self.client.is_closed() {
            return;
        }
        if self.client.is_running() {
            self.cancel().await;
        } else {
            // The call was cancelled between two requests, as when a script abandons a transaction.
            self.reset().await;
        }
    }

    /// Resets the session and returns the connection to the pool; closes it when that fails.
    async fn reset(mut self) {
        if self.client.is_closed() {
            return;
        }
        // Without a transaction, the server would warn that there is none.
        let ended = match self.client.status() {
            Status::Idle => Ok(String::new()),
            Status::Open | Status::Failed => self.client.batch_execute("ROLLBACK").await,
        };
        // Alone, so that a pooler that keeps statements for its clients sees it; and only where it is needed, so that
        // one that does not know of them takes away no other's.
        let forgotten = match self.possibly_prepares {
            true => self.client.batch_execute("DEALLOCATE ALL").await,
            false => Ok(String::new()),
        };
        self.possibly_prepares = false;
        if ended.is_ok() && forgotten.is_ok() && self.client.batch_execute(RESET).await.is_ok() {
            self.idle_since = Instant::now();
            drop(self.object.take());
        }
    }
}

const TAKEN: &str = "only reset and drop take the connection, and both end this";

impl Deref for PooledConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.object.as_ref().expect(TAKEN)
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        self.object.as_mut().expect(TAKEN)
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        // Not back into the pool: a statement may be running on it.
        drop(self.object.take().map(Object::take));
        self.database.released.notify_one();
    }
}
