//! Connections to one database: pooled, reset before another call has them, and dropped when a call was cut.

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
    address::Address,
    connection_string::invalid,
    failure,
    tls::Tls,
    wire::{self, Client, Descriptions, Status},
};
use crate::{
    Error, ErrorCode, Timeouts,
    gate::{Call, CleanupGuard, Pool},
    secrets::Secret,
};

/// How many connections a pool has at the most.
const CONNECTIONS: usize = 50;

/// What a call may have left, undone: cursors, another user, settings, temporary tables, locks.
const RESET: &str = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; \
                     SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

/// The pool for one secret.
pub(super) struct Database {
    pool: managed::Pool<Manager>,
    /// How long a connection may take to be made: on all hosts together, TLS and login included.
    connect: Duration,
    /// The option of the secret that has a path in it, when there is one.
    path: Option<&'static str>,
    /// A lease was left.
    left: Notify,
}

impl Database {
    /// Connects nothing, and reads no file.
    ///
    /// Fails with `secret-invalid` when the secret is no connection string.
    pub(super) fn new(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error> {
        let address = Address::read(secret.expose(), timeouts.connect)?;
        let connect = address.connect_timeout().min(timeouts.connect);
        let path = address.path;
        let manager = Manager { address: Arc::new(address), tls: OnceCell::new(), descriptions: Arc::default() };
        // The one used last goes first, so that those that are not needed become idle.
        let pool = managed::Pool::builder(manager).max_size(CONNECTIONS).queue_mode(QueueMode::Lifo);
        let pool = pool.runtime(Runtime::Tokio1).build().map_err(Error::internal)?;
        Ok(Self { pool, connect, path, left: Notify::new() })
    }

    /// Fails with `secret-invalid` when the secret has a path in it and may have none.
    pub(super) fn check_paths(&self, secret: &Secret) -> Result<(), Error> {
        match self.path.filter(|_| !secret.may_have_paths()) {
            Some(option) => Err(invalid(format!(
                "file paths are not allowed here, but {option} of the connection string contains one"
            ))),
            None => Ok(()),
        }
    }

    /// A connection that nobody else has. Dropped, it is cleaned up beside and goes back. Where the server has fewer places
    /// than the pool, one of those that are there is waited for.
    ///
    /// Fails with `unavailable`, `access-denied` and the like when there is none to be had.
    pub(super) async fn connection(self: Arc<Self>, call: &Call<'_>) -> Result<CleanupGuard<Lease>, Error> {
        let until = Instant::now() + call.timeouts().wait;
        loop {
            let left = self.left.notified();
            match self.object(call.timeouts().wait).await {
                Ok(object) => {
                    let lease = Lease { object: Some(object), database: Arc::clone(&self) };
                    return Ok(call.guard(lease, Lease::give_back));
                }
                Err(error) if failure::is_full(&error) && self.pool.status().size > 0 => {
                    timeout_at(until, left).await.map_err(|_| error)?;
                }
                Err(error) => {
                    // Who waits for this one would wait in vain.
                    self.left.notify_one();
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
            PoolError::Timeout(TimeoutType::Wait) => Error::new(
                ErrorCode::Timeout,
                format!("no connection was free within {}: {CONNECTIONS} are in use", humantime::format_duration(wait)),
            ),
            PoolError::Timeout(_) => Error::new(
                ErrorCode::Unavailable,
                format!("the server did not answer within {}", humantime::format_duration(connect)),
            ),
            other => Error::internal(other.to_string()),
        })
    }
}

impl Pool for Database {
    fn idle(&self) -> usize {
        self.pool.status().available
    }

    fn close_idle(&self, time: Duration) {
        let closed = self.pool.retain(|connection, _| connection.idle_since.elapsed() < time);
        drop(closed);
    }

    fn secret_words(&self) -> &[String] {
        &self.pool.manager().address.words
    }
}

/// Makes connections.
struct Manager {
    address: Arc<Address>,
    /// Read with the first connection: the files of authorities are not the pool's to wait for.
    tls: OnceCell<Tls>,
    /// What the connections share of what they have learnt.
    descriptions: Arc<Descriptions>,
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = Error;

    async fn create(&self) -> Result<Connection, Error> {
        let tls = self.tls.get_or_try_init(|| Tls::load(self.address.security.clone())).await?.clone();
        let client = wire::connect(&self.address.config, &tls).await.map_err(failure::of_connecting)?;
        let (address, descriptions) = (Arc::clone(&self.address), Arc::clone(&self.descriptions));
        Ok(Connection { client, address, tls, descriptions, prepares: false, idle_since: Instant::now() })
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Error> {
        if !connection.client.is_closed() {
            return Ok(());
        }
        let reason = connection.client.last_words().map_or("it is closed", |answer| &answer.message);
        Err(RecycleError::message(reason.to_owned()))
    }
}

/// A connection to a server.
pub(super) struct Connection {
    pub(super) client: Client,
    address: Arc<Address>,
    tls: Tls,
    pub(super) descriptions: Arc<Descriptions>,
    /// A statement since the last reset may have been a `PREPARE`.
    pub(super) prepares: bool,
    /// When it was given back.
    idle_since: Instant,
}

impl Connection {
    /// One that no pool has made.
    #[cfg(test)]
    pub(super) fn with(client: Client) -> Self {
        let address = Address::read("host=localhost user=u", Duration::from_secs(1)).unwrap();
        let tls = Tls::new(address.security.check, None).unwrap();
        let idle_since = Instant::now();
        Self { client, address: Arc::new(address), tls, descriptions: Arc::default(), prepares: false, idle_since }
    }

    /// Whether something was sent and not all of its answer was read. Whoever drops it so has been cut.
    pub(super) fn is_busy(&self) -> bool {
        self.client.is_running()
    }

    /// What a failure is for the script. `may_have_happened` says whether the statement may have been carried out when the
    /// connection broke.
    pub(super) fn failed(&self, error: wire::Error, sql: Option<&str>, may_have_happened: bool) -> Error {
        let may_have_happened = may_have_happened && self.client.has_sent();
        failure::of_statement(error, sql, may_have_happened)
    }

    /// Ends what is running.
    async fn cancel(&self) {
        let Some(key) = self.client.cancel_key() else { return };
        if let Err(error) = wire::cancel(&key, &self.address.config, &self.tls).await {
            tracing::debug!("a statement could not be cancelled: {error:?}");
        }
    }
}

/// A connection that a call has. Dropped as it is, it is closed.
pub(super) struct Lease {
    object: Option<Object<Manager>>,
    /// In use as long as its connections are: no second pool comes to be beside it.
    database: Arc<Database>,
}

impl Lease {
    /// Gives it back to the pool as it came; one with something running is cancelled and closed.
    async fn give_back(mut self) {
        if self.client.is_closed() {
            return;
        }
        if self.is_busy() {
            self.cancel().await;
            return;
        }
        // Without a transaction, the server would warn that there is none.
        let ended = match self.client.status() {
            Status::Idle => Ok(String::new()),
            Status::Open | Status::Failed => self.client.batch_execute("ROLLBACK").await,
        };
        // Alone, so that a pooler that keeps statements for its clients sees it; and only where it is needed, so that
        // one that does not know of them takes away no other's.
        let forgotten = match self.prepares {
            true => self.client.batch_execute("DEALLOCATE ALL").await,
            false => Ok(String::new()),
        };
        self.prepares = false;
        if ended.is_ok() && forgotten.is_ok() && self.client.batch_execute(RESET).await.is_ok() {
            self.idle_since = Instant::now();
            drop(self.object.take());
        }
    }
}

const LEASED: &str = "it is taken by give_back and drop alone";

impl Deref for Lease {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.object.as_ref().expect(LEASED)
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Connection {
        self.object.as_mut().expect(LEASED)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Not back into the pool: nobody knows what is running on it.
        drop(self.object.take().map(Object::take));
        self.database.left.notify_one();
    }
}
