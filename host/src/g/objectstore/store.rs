//! The clients of one secret, with their connections. The calls of all runs with this secret share them.

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

/// The maximum number of uploads, parts of uploads and downloads to files at a time.
const MAX_TRANSFERS: usize = 32;

/// The longest time without a byte in a transfer.
const MAX_STALL: Duration = Duration::from_secs(20);

/// The clients of one secret.
pub(crate) struct Store {
    pub(super) client: Client,
    /// For requests whose answer is the content of an object.
    pub(super) contents: Client,
    pub(super) region: String,
    /// Whether the server belongs to Amazon, and thus supports all checksums.
    pub(super) is_aws: bool,
    /// Whether the host of a request depends on its region (Amazon S3).
    pub(super) has_regional_hosts: bool,
    /// One permit for each transfer, which needs up to 2 MiB of memory.
    transfers: Semaphore,
    connect_timeout: Duration,
    words: Vec<String>,
    address: String,
    /// When the clients were last used; `None` when all their connections are closed.
    last_used: Mutex<Option<Instant>>,
}

impl Store {
    /// Returns the clients for the secret of a name.
    pub(super) async fn of(call: &Call<'_>, conn: &str) -> Result<Arc<Self>, Error> {
        let store = call.pool_of::<Self>(conn).await?;
        *store.last_used() = Some(Instant::now());
        Ok(store)
    }

    /// Waits for a permit for a transfer.
    pub(super) async fn transfer(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.transfers.acquire().await.map_err(Error::internal)
    }

    fn last_used(&self) -> MutexGuard<'_, Option<Instant>> {
        self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time limit for connecting.
    pub(super) fn connect_timeout(&self) -> Duration {
        self.connect_timeout
    }
}

impl Pool for Store {
    fn from_secret(secret: &Secret, timeouts: &Timeouts) -> Result<Self, Error> {
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
            address: config.address(),
            last_used: Mutex::new(Some(Instant::now())),
            region: config.region,
        })
    }

    /// The clients close idle connections themselves. Until the idle time has passed since the last use, a connection
    /// may be open.
    fn idle(&self) -> usize {
        usize::from(self.last_used().is_some())
    }

    fn close_idle(&self, time: Duration) {
        let mut last_used = self.last_used();
        if last_used.is_some_and(|used| used.elapsed() >= time) {
            *last_used = None;
        }
    }

    fn address(&self) -> String {
        self.address.clone()
    }

    fn secret_words(&self) -> &[String] {
        &self.words
    }
}

/// Returns the configuration of both clients, which share the connections.
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
    // Many other servers support only the checksums that S3 had at first.
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
        // `request` sends requests again where that is safe.
        .retry_config(RetryConfig::disabled())
        .timeout_config(TimeoutConfig::builder().connect_timeout(timeouts.connect).build())
        .stalled_stream_protection(stall)
        .request_checksum_calculation(request)
        .response_checksum_validation(response)
        // Requests for buckets with such names would go to other hosts.
        .disable_multi_region_access_points(true)
        .disable_s3_express_session_auth(true);
    if let Endpoint::Url { url, .. } = &config.endpoint {
        builder = builder.endpoint_url(url);
    }
    Ok(builder)
}

/// Returns the configuration for a request during whose answer the server may send nothing for minutes.
pub(super) fn without_stall_limit() -> aws_sdk_s3::config::Builder {
    aws_sdk_s3::Config::builder().stalled_stream_protection(StalledStreamProtectionConfig::disabled())
}

/// Returns the words that are removed from errors: the credentials, also as they are encoded in a URL, and the host.
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
