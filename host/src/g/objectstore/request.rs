//! Sends a request, and sends it again where that is safe.

use std::{error::Error as StdError, time::Duration};

use aws_sdk_s3::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
};
use tokio::time::sleep;

use super::{error::Failure, store::Store};
use crate::Error;

/// The maximum number of times that a request is sent.
const ATTEMPTS: u32 = 3;

/// The delay before the first repetition; each further one is four times as long.
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// What a request does at the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It only reads. Repeating it is safe.
    Read,
    /// It sends a part of an upload, copies one, or aborts an upload. Repeating it is safe, because it has the same effect twice
    /// as once.
    Repeatable,
    /// It changes something. If the connection breaks, the outcome is unknown, and repeating it could undo what another
    /// client has done since.
    Write,
}

/// Sends a request, up to three times. `send` makes and sends it.
pub(super) async fn request<T, E, F>(store: &Store, effect: Effect, send: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    E: ProvideErrorMetadata + StdError + 'static,
{
    attempt(store, effect, send).await.map_err(|failure| failure.into_error(effect == Effect::Write))
}

/// Does the same as [`request`], and returns the failure for callers that examine it.
pub(super) async fn attempt<T, E, F>(store: &Store, effect: Effect, send: impl Fn() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    E: ProvideErrorMetadata + StdError + 'static,
{
    let mut attempts = 1;
    let mut delay = FIRST_DELAY;
    loop {
        let failure = match send().await {
            Ok(answer) => return Ok(answer),
            Err(error) => Failure::of(&error, store.connect_timeout()),
        };
        if attempts == ATTEMPTS || !failure.may_retry(effect != Effect::Write) {
            return Err(failure);
        }
        tracing::debug!(attempts, code = failure.code(), "a request to an object store is sent again");
        // Adds up to a quarter at random, so that the requests of many calls are spread.
        sleep(delay.mul_f64(1.0 + fastrand::f64() / 4.0)).await;
        attempts += 1;
        delay *= 4;
    }
}
