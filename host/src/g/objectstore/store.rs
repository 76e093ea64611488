//! The client of one secret. It keeps the connections; the calls of all runs with this secret share it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use aws_sdk_s3::{
    Client,
    config::{
        BehaviorVersion, Credentials, Region, RequestChecksumCalculation, ResponseChecksumValidation,
        StalledStreamProtectionConfig, retry::RetryConfig, timeout::TimeoutConfig,
    },
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};

use super::{
    answer_limit::AnswerLimit,
    http,
    secret::{Config, Endpoint},
};
use crate::{
    Error, Timeouts,
    gate::{Call, Pool},
    secrets::Secret,
};

/// The number of files, or parts of files, that are transferred at once.
const MAX_TRANSFERS: usize = 32;

/// How long no byte of a transfer may move.
const MAX_STALL: Duration = Duration::from_secs(20);

/// The client of one secret.
pub(crate) struct Store {
    pub(super) client: Client,
    /// For requests whose answer is the content of an object.
    pub(super) contents: Client,
    pub(super) region: String,
    /// A server of Amazon, which knows all checksums.
    pub(super) is_aws: bool,
    /// A server of Amazon finds the region of a bucket in the host name.
    pub(super) has_regional_hosts: bool,
    /// Permits to transfer a file, or a part of one. Each transfer needs up to 2 MiB of memory.
    transfers: Semaphore,
    connect_timeout: Duration,
    words: Vec<String>,
    /// When it was last used; none when all its connections are closed.
    last_used: Mutex<Option<Instant>>,
}

impl Store {
    /// The client for the secret of a name.
    pub(super) async fn of(call: &Call<'_>, conn: &str) -> Result<Arc<Self>, Error> {
        let store = call.pool_of::<Self>(conn).await?;
        *store.last_used() = Some(Instant::now());
        Ok(store)
    }

    /// Waits until a file, or a part of one, may be transferred.
    pub(super) async fn transfer(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.transfers.acquire().await.map_err(Error::internal)
    }

    fn last_used(&self) -> MutexGuard<'_, Option<Instant>> {
        self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long connecting may take.
    pub(super) fn connect_timeout(&self) -> Duration {
        self.connect_timeout
    }
}

impl Pool for Store {
    fn open(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error> {
        let config = Config::read(secret.expose())?;
        let builder = configuration(&config, timeouts)?;
        let client = |limit| Client::from_conf(builder.clone().interceptor(limit).build());
        Ok(Self {
            client: client(AnswerLimit::All),
            contents: client(AnswerLimit::Errors),
            is_aws: config.endpoint.is_aws(),
            has_regional_hosts: matches!(config.endpoint, Endpoint::Aws),
            transfers: Semaphore::new(MAX_TRANSFERS),
            connect_timeout: timeouts.connect,
            words: words(&config),
            last_used: Mutex::new(Some(Instant::now())),
            region: config.region,
        })
    }

    /// The client closes idle connections itself. As long as it was used within the idle time, one of them may be open.
    fn idle(&self) -> usize {
        usize::from(self.last_used().is_some())
    }

    fn close_idle(&self, time: Duration) {
        let mut last_used = self.last_used();
        if last_used.is_some_and(|used| used.elapsed() >= time) {
            *last_used = None;
        }
    }

    fn secret_words(&self) -> &[String] {
        &self.words
    }
}

/// The configuration of the clients, which share the connections.
fn configuration(config: &Config, timeouts: &Timeouts) -> Result<aws_sdk_s3::config::Builder, Error> {
    let Config { access_key, secret_key, session_token, .. } = config;
    let credentials = Credentials::new(
        access_key.as_str(),
        secret_key.as_str(),
        session_token.clone(),
        None,
        "the secret of the script",
    );
    let stall = StalledStreamProtectionConfig::enabled().grace_period(MAX_STALL).build();
    // Many other servers know no other checksums than those that S3 had at first.
    let (request, response) = match config.endpoint.is_aws() {
        true => (RequestChecksumCalculation::WhenSupported, ResponseChecksumValidation::WhenSupported),
        false => (RequestChecksumCalculation::WhenRequired, ResponseChecksumValidation::WhenRequired),
    };
    let mut builder = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .credentials_provider(credentials)
        .region(Region::new(config.region.clone()))
        .force_path_style(config.path_style)
        .http_client(http::client(config.ca.as_deref(), timeouts.idle)?)
        // `request` repeats what may be repeated.
        .retry_config(RetryConfig::disabled())
        .timeout_config(TimeoutConfig::builder().connect_timeout(timeouts.connect).build())
        .stalled_stream_protection(stall)
        .request_checksum_calculation(request)
        .response_checksum_validation(response)
        // Buckets with names of a special form would lead to other hosts.
        .disable_multi_region_access_points(true)
        .disable_s3_express_session_auth(true);
    if let Endpoint::Url { url, .. } = &config.endpoint {
        builder = builder.endpoint_url(url);
    }
    Ok(builder)
}

/// The configuration of a request that the server may work on for minutes before the answer goes on.
pub(super) fn without_stall_limit() -> aws_sdk_s3::config::Builder {
    aws_sdk_s3::Config::builder().stalled_stream_protection(StalledStreamProtectionConfig::disabled())
}

/// What no error may show: the credentials, as they are and as they are in a URL, and the host.
fn words(config: &Config) -> Vec<String> {
    let Config { access_key, secret_key, session_token, endpoint, .. } = config;
    let mut words: Vec<_> =
        [Some(access_key), Some(secret_key), session_token.as_ref()].into_iter().flatten().cloned().collect();
    let encoded = words.iter().map(|word| utf8_percent_encode(word, NON_ALPHANUMERIC).to_string());
    let encoded: Vec<_> = encoded.filter(|word| !words.contains(word)).collect();
    words.extend(encoded);
    if let Endpoint::Url { url, host, .. } = endpoint {
        words.extend([url.clone(), host.clone()]);
    }
    words
}
