//! The driver's client for one secret, as a [`Pool`] of the gate.

use std::{
    env,
    future::IntoFuture,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mongodb::{
    Client,
    bson::{Document, doc, serialize_to_document},
    error::ErrorKind,
    event::{EventHandler, sdam::SdamEvent},
    options::{ClientOptions, Tls},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::{
    config::Config,
    error::{Access, of_request},
};
use crate::{
    Error, ErrorCode, Timeouts,
    gate::{
        Call, Pool, ca_file,
        error::{broken, no_connection_within, none_free_within, unknown_outcome},
        tls::{self, Trust},
    },
    secrets::Secret,
};

/// The files that may contain the system's authorities, in the order in which they are tried. (The driver takes
/// authorities only as a path.)
const SYSTEM_FILES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/// The error of the driver's last attempt to reach a server; `None` if that succeeded.
type Failure = Arc<Mutex<Option<mongodb::error::Error>>>;

/// The driver's client for one secret, and the permits for its connections.
pub(crate) struct ClientPool {
    config: Config,
    timeouts: Timeouts,
    open: Mutex<Option<Open>>,
    /// Lets one call at a time open the client.
    opening: tokio::sync::Mutex<()>,
    /// One permit for each connection, since the driver waits for a connection without a time limit.
    permits: Arc<Semaphore>,
    failure: Failure,
    last_used: Mutex<Instant>,
}

/// An open client.
#[derive(Clone)]
struct Open {
    client: Client,
    /// The secret's `w`, `journal` and `wTimeoutMS`, for raw commands, to which the driver does not add them.
    write_concern: Option<Document>,
    /// Whether a server has answered a command, which requires that the login succeeded.
    is_reached: Arc<AtomicBool>,
}

impl Pool for ClientPool {
    fn from_secret(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error> {
        let config = Config::read(secret.expose())?;
        let permits = Arc::new(Semaphore::new(config.pool_size()));
        Ok(Self {
            config,
            timeouts: *timeouts,
            open: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            permits,
            failure: Failure::default(),
            last_used: Mutex::new(Instant::now()),
        })
    }

    fn path_option(&self) -> Option<&'static str> {
        self.config.path_option()
    }

    /// The driver closes its connections itself. An open client counts as one connection here.
    fn idle(&self) -> usize {
        usize::from(lock(&self.open).is_some())
    }

    fn close_idle(&self, time: Duration) {
        let is_unused = self.permits.available_permits() == self.config.pool_size();
        if is_unused && lock(&self.last_used).elapsed() >= time {
            // Dropping the last clone ends its connections and its monitors.
            drop(lock(&self.open).take());
        }
    }

    fn address(&self) -> String {
        self.config.address()
    }

    fn secret_words(&self) -> &[String] {
        &self.config.words
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ClientPool {
    /// Begins a session for one call. Waits until the pool has a free connection, and until a server has answered once.
    pub(super) async fn session(self: Arc<Self>) -> Result<Session, Error> {
        let time = self.config.wait_timeout.unwrap_or(self.timeouts.wait);
        let permit = timeout(time, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| none_free_within(time, self.config.pool_size()))?.map_err(Error::internal)?;
        let open = self.open_client().await?;
        self.reach(&open).await?;
        *lock(&self.last_used) = Instant::now();
        Ok(Session { pool: self, open, _permit: permit })
    }

    async fn open_client(&self) -> Result<Open, Error> {
        let _one = self.opening.lock().await;
        if let Some(open) = lock(&self.open).clone() {
            return Ok(open);
        }
        let open = timeout(self.timeouts.connect, self.create());
        let open = open.await.map_err(|_| no_connection_within(self.timeouts.connect))??;
        *lock(&self.open) = Some(open.clone());
        Ok(open)
    }

    /// Waits until a server has answered once. The driver bounds connecting, but not a login that stalls.
    async fn reach(&self, open: &Open) -> Result<(), Error> {
        if open.is_reached.load(Ordering::Relaxed) {
            return Ok(());
        }
        let admin = open.client.database("admin");
        let mut ping = admin.run_command(doc! { "ping": 1 });
        if let Some(criteria) = open.client.selection_criteria() {
            ping = ping.selection_criteria(criteria.clone());
        }
        let answer = timeout(self.timeouts.connect, ping.into_future()).await;
        match answer.map_err(|_| no_connection_within(self.timeouts.connect))? {
            // A server that refuses the command has answered too.
            Err(error) if !matches!(&*error.kind, ErrorKind::Command(_)) => Err(self.error(&error, Access::Read)),
            _ => {
                open.is_reached.store(true, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    async fn create(&self) -> Result<Open, Error> {
        let options = self.config.options(self.timeouts.connect, self.timeouts.idle);
        let mut options = options.await.map_err(|error| of_options(&error))?;
        self.check_files(&mut options).await?;
        let failure = Arc::clone(&self.failure);
        options.sdam_event_handler = Some(EventHandler::callback(move |event| match event {
            SdamEvent::ServerHeartbeatFailed(failed) => *lock(&failure) = Some(failed.failure),
            SdamEvent::ServerHeartbeatSucceeded(_) => *lock(&failure) = None,
            _ => {}
        }));
        let write_concern = options.write_concern.as_ref().map(serialize_to_document).transpose();
        let write_concern = write_concern.map_err(Error::internal)?.filter(|concern| !concern.is_empty());
        let client = Client::with_options(options).map_err(|error| of_options(&error))?;
        Ok(Open { client, write_concern, is_reached: Arc::default() })
    }

    /// Checks the files that the options name, because the driver reads them without a size limit and ignores content
    /// that it can't parse. If the secret names no authorities, sets the file of the system's authorities.
    async fn check_files(&self, options: &mut ClientOptions) -> Result<(), Error> {
        let files = self.config.files();
        let check = move || -> Result<Option<PathBuf>, Error> {
            for (path, option) in files {
                let content = ca_file::read(&path, option)?;
                if option == "tlsCAFile" {
                    tls::roots(Trust::Only(&content))?;
                }
            }
            Ok(system_file())
        };
        let system = spawn_blocking(check).await.map_err(Error::internal)??;
        if let Some(Tls::Enabled(tls)) = &mut options.tls
            && tls.ca_file_path.is_none()
            && tls.allow_invalid_certificates != Some(true)
        {
            let none = || Error::new(ErrorCode::Unavailable, "this machine has no file of certificate authorities");
            tls.ca_file_path = Some(system.ok_or_else(none)?);
        }
        Ok(())
    }

    fn error(&self, error: &mongodb::error::Error, access: Access) -> Error {
        of_request(error, lock(&self.failure).as_ref(), access)
    }
}

/// Converts the driver's error about its options. The driver's text is not shown.
fn of_options(error: &mongodb::error::Error) -> Error {
    match &*error.kind {
        ErrorKind::InvalidArgument { .. } => {
            Error::new(ErrorCode::SecretInvalid, "the options of the connection string do not fit together")
        }
        _ => of_request(error, None, Access::Read),
    }
}

/// Returns the file with the system's authorities: the one that `SSL_CERT_FILE` names, or the first of `SYSTEM_FILES`
/// that exists.
fn system_file() -> Option<PathBuf> {
    let named = env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    named.into_iter().chain(SYSTEM_FILES.map(PathBuf::from)).find(|path| path.is_file())
}

/// A client and the permit to use one of its connections, for one call. It is not a session of MongoDB.
pub(super) struct Session {
    pool: Arc<ClientPool>,
    open: Open,
    _permit: OwnedSemaphorePermit,
}

impl Session {
    /// Begins a session with the secret of this name.
    pub(super) async fn begin(call: &Call<'_>, conn: &str) -> Result<Self, Error> {
        call.pool_of::<ClientPool>(conn).await?.session().await
    }

    pub(super) fn client(&self) -> &Client {
        &self.open.client
    }

    pub(super) fn write_concern(&self) -> Option<&Document> {
        self.open.write_concern.as_ref()
    }

    /// Waits for the answer to a request.
    pub(super) async fn request<T>(
        &self,
        access: Access,
        request: impl IntoFuture<Output = mongodb::error::Result<T>>,
    ) -> Result<T, Error> {
        self.answer(access, request).await?.map_err(|error| self.pool.error(&error, access))
    }

    /// Waits for the answer to a request, with the driver's own error. Fails when `socketTimeoutMS` is over.
    pub(super) async fn answer<T>(
        &self,
        access: Access,
        request: impl IntoFuture<Output = mongodb::error::Result<T>>,
    ) -> Result<mongodb::error::Result<T>, Error> {
        let Some(time) = self.pool.config.socket_timeout else { return Ok(request.await) };
        let late = |_| if access == Access::Write { unknown_outcome(broken()) } else { broken() };
        timeout(time, request).await.map_err(late)
    }

    /// Converts an error of the driver to an error for the script.
    pub(super) fn error(&self, error: &mongodb::error::Error, access: Access) -> Error {
        self.pool.error(error, access)
    }
}
