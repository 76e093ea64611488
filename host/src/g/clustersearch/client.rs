//! Requests to one cluster.
//!
//! The client is `reqwest`, which the `elasticsearch` crate uses as well. The client of that crate follows redirects,
//! reads an answer of any length into memory, and can't be limited to the authorities of a secret; only its paths of
//! requests and its types of errors are used.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use elasticsearch::http::headers::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, redirect::Policy};
use tokio::{
    sync::{OnceCell, Semaphore},
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::{
    answer::Answer,
    config::Config,
    error::{self, Failed, Stage},
};
use crate::{
    Error, Timeouts,
    gate::{
        ByteCounter, Call, Pool,
        error::{none_free_within, unknown_outcome},
        tls::{self, Trust},
    },
    secrets::Secret,
};

/// The maximum number of requests in flight with one secret.
const REQUESTS: usize = 128;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const LINES: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// The pool for one secret.
pub(crate) struct Cluster {
    config: Config,
    timeouts: Timeouts,
    tls: OnceCell<rustls::ClientConfig>,
    /// `None` while no connection is open. Dropping the client closes its connections.
    client: Mutex<Option<Client>>,
    requests: Semaphore,
    last_used: Mutex<Instant>,
    /// Whether the server has answered in HTTP.
    has_answered: AtomicBool,
}

/// What a request may have changed on the server if the connection breaks before the answer was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    None,
    /// The server may have executed it: the error has `unknownOutcome`.
    Write,
}

/// A request.
pub(super) struct Request<'a> {
    pub(super) method: Method,
    /// The path with its query, beginning with the slash after the host. Names in it are percent-encoded.
    pub(super) path: &'a str,
    pub(super) body: Body,
    pub(super) effect: Effect,
}

/// The body of a request.
pub(super) enum Body {
    Empty,
    Json(Bytes),
    /// Lines of JSON.
    Lines(Bytes),
}

impl Cluster {
    /// Sends a request and reads its answer, whose memory `counter` counts. An error that the server returns is an
    /// answer.
    ///
    /// Fails with `unavailable` when there is no answer, or when it is not that of a search cluster.
    pub(super) async fn send(
        &self,
        call: &Call<'_>,
        request: Request<'_>,
        counter: &mut ByteCounter,
    ) -> Result<Answer, Error> {
        let effect = request.effect;
        self.try_send(call, request, counter).await.map_err(|Failed { error, stage }| match (effect, stage) {
            (Effect::Write, Stage::Sent) => unknown_outcome(error),
            _ => error,
        })
    }

    /// Does the same as [`send`](Self::send), but a failure contains the stage at which the request failed.
    pub(super) async fn try_send(
        &self,
        call: &Call<'_>,
        request: Request<'_>,
        counter: &mut ByteCounter,
    ) -> Result<Answer, Failed> {
        let wait = call.timeouts().wait;
        let permit = timeout(wait, self.requests.acquire()).await.map_err(|_| none_free_within(wait, REQUESTS));
        let permit = permit.and_then(|permit| permit.map_err(Error::internal)).map_err(not_sent)?;
        let answer = self.exchange(request, counter).await;
        *lock(&self.last_used) = Instant::now();
        drop(permit);
        answer
    }

    async fn exchange(&self, request: Request<'_>, counter: &mut ByteCounter) -> Result<Answer, Failed> {
        let client = self.client().await.map_err(not_sent)?;
        let Request { method, path, body, .. } = request;
        let request = client.request(method, format!("{}{path}", self.config.base));
        let request = match body {
            Body::Empty => request,
            Body::Json(text) => request.header(CONTENT_TYPE, JSON).body(text),
            Body::Lines(text) => request.header(CONTENT_TYPE, LINES).body(text),
        };
        let request = request.build().map_err(|error| not_sent(Error::internal(error.without_url())))?;
        // If the URL parser changed the path (it resolves `..`), this would be a different request.
        if !request.url().as_str().ends_with(path) {
            return Err(not_sent(Error::internal("a path of a request was changed")));
        }
        let response = client.execute(request).await.map_err(|error| {
            let has_answered = self.has_answered.load(Ordering::Relaxed);
            error::of_sending(&error, &self.config, self.timeouts.connect, has_answered)
        })?;
        self.has_answered.store(true, Ordering::Relaxed);
        let words = Arc::clone(&self.config.words);
        Answer::read(response, self.timeouts.wait, words, counter).await.map_err(|error| Failed::at(Stage::Sent, error))
    }

    async fn client(&self) -> Result<Client, Error> {
        let tls = self.tls.get_or_try_init(|| load(self.config.ca.clone())).await?;
        if let Some(client) = &*lock(&self.client) {
            return Ok(client.clone());
        }
        let client = self.new_client(tls.clone())?;
        Ok(lock(&self.client).get_or_insert(client).clone())
    }

    fn new_client(&self, tls: rustls::ClientConfig) -> Result<Client, Error> {
        let stalled = self.timeouts.wait;
        let mut headers = HeaderMap::from_iter([(ACCEPT, JSON)]);
        headers.extend(self.config.authorization.clone().map(|value| (AUTHORIZATION, value)));
        let client = Client::builder()
            .use_preconfigured_tls(tls)
            .http1_only()
            .no_proxy()
            .redirect(Policy::none())
            .no_gzip()
            .referer(false)
            .user_agent("ghost")
            .default_headers(headers)
            .connect_timeout(self.timeouts.connect)
            .pool_idle_timeout(self.timeouts.idle)
            .tcp_nodelay(true)
            // The time until the answer has no limit, since a search may take long. These options detect a dead host.
            .tcp_keepalive(stalled)
            .tcp_keepalive_interval(stalled / 3)
            .tcp_user_timeout(stalled);
        client.build().map_err(|error| Error::internal(error.without_url()))
    }

    pub(super) fn has_credentials(&self) -> bool {
        self.config.authorization.is_some()
    }
}

/// Loads the trusted authorities, on a thread that may block.
async fn load(ca: Option<String>) -> Result<rustls::ClientConfig, Error> {
    let load = move || {
        let trust = ca.as_ref().map_or(Trust::System, |pem| Trust::Only(pem.as_bytes()));
        let mut config = (*tls::client(trust)?).clone();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    };
    spawn_blocking(load).await.map_err(Error::internal)?
}

impl Pool for Cluster {
    fn from_secret(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error> {
        Ok(Self {
            config: Config::read(secret.expose())?,
            timeouts: *timeouts,
            tls: OnceCell::new(),
            client: Mutex::default(),
            requests: Semaphore::new(REQUESTS),
            last_used: Mutex::new(Instant::now()),
            has_answered: AtomicBool::new(false),
        })
    }

    fn idle(&self) -> usize {
        usize::from(lock(&self.client).is_some())
    }

    fn close_idle(&self, time: Duration) {
        let is_idle = self.requests.available_permits() == REQUESTS && lock(&self.last_used).elapsed() >= time;
        // The client is dropped after the lock is released.
        let closed = if is_idle { lock(&self.client).take() } else { None };
        drop(closed);
    }

    fn address(&self) -> String {
        self.config.base.clone()
    }

    fn secret_words(&self) -> &[String] {
        &self.config.words
    }
}

fn not_sent(error: Error) -> Failed {
    Failed::at(Stage::NotSent, error)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Request<'_> {
    /// Creates a GET request, which changes nothing.
    pub(super) fn read(path: &str) -> Request<'_> {
        Request { method: Method::GET, path, body: Body::Empty, effect: Effect::None }
    }
}
