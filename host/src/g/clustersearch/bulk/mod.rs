//! Stores many documents: several requests at once, each repeated for the documents that the server is too busy for.

mod chunk;
mod documents;
mod outcome;

use std::time::Duration;

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::time::sleep;

use super::{
    client::{Body, Cluster, Effect, Request},
    error,
};
use crate::{
    Error,
    gate::{Call, error::unknown_outcome},
};
use chunk::{Chunk, Chunks};
use documents::Document;
use outcome::Refusals;
pub(super) use outcome::{Outcome, Refused};
use reqwest::Method;

/// The most requests of one call in flight. A server stores them in parallel.
const REQUESTS: usize = 4;
/// How often a request is sent again because of the server's load.
const RETRIES: u32 = 9;
/// The longest delay before the first retry. It doubles with each further one, which makes 25 s in total at most; the
/// actual delay is random, between half of the longest and all of it.
const FIRST_DELAY: Duration = Duration::from_millis(50);

/// Documents to store.
pub(super) struct Given<'a> {
    /// The path of a request, with its query.
    pub(super) path: &'a str,
    /// A JSON array of objects.
    pub(super) documents: &'a str,
    /// The most documents of a request.
    pub(super) chunk_size: usize,
}

/// Stores documents. A document that the server refuses is a part of the outcome.
///
/// Fails when a request does as a whole, with the outcome so far in the details.
pub(super) async fn store(call: &Call<'_>, cluster: &Cluster, given: Given<'_>) -> Result<Outcome, Error> {
    // Their list takes more memory than short documents do.
    let mut list = call.argument_buffer();
    let documents = documents::read(given.documents, &mut list)?;
    let mut chunks = Chunks::of(&documents, given.chunk_size);
    let mut outcome = Outcome::of(documents.len());
    let (mut sending, mut failure) = (FuturesUnordered::new(), None::<Error>);
    loop {
        while failure.is_none() && sending.len() < REQUESTS {
            let Some(chunk) = chunks.next() else { break };
            sending.push(send(call, cluster, given.path, &documents, chunk));
        }
        let Some((chunk, result, refusals)) = sending.next().await else { break };
        chunks.finish(&chunk);
        outcome.add(chunk.stored, refusals);
        if let Err(error) = result {
            failure = Some(first_of(failure, error));
        }
    }
    outcome.redact(|reason| call.redact(reason, |word| given.documents.contains(word)));
    match failure {
        None => Ok(outcome),
        Some(error) => Err(error.with_detail("result", outcome.counts())),
    }
}

/// Returns the first error of two requests. The outcome is unknown if it is for one of them.
fn first_of(first: Option<Error>, later: Error) -> Error {
    let Some(first) = first else { return later };
    let is_unknown = later.details.is_some_and(|details| details["unknownOutcome"] == true);
    if is_unknown { unknown_outcome(first) } else { first }
}

/// Sends the documents of a chunk, and again those that the server is too busy for.
async fn send<'d>(
    call: &Call<'_>,
    cluster: &Cluster,
    path: &str,
    documents: &[Document<'d>],
    mut chunk: Chunk<'d>,
) -> (Chunk<'d>, Result<(), Error>, Refusals) {
    let mut refusals = Refusals::default();
    for retry in 0..=RETRIES {
        let is_last = retry == RETRIES;
        match send_once(call, cluster, path, documents, &mut chunk, &mut refusals, is_last).await {
            Ok(()) if chunk.pending.is_empty() => break,
            Ok(()) => sleep(delay(retry)).await,
            Err(error) => return (chunk, Err(error), refusals),
        }
    }
    (chunk, Ok(()), refusals)
}

/// Sends the pending documents once. Those that may be sent again stay pending, unless this was the last time.
async fn send_once(
    call: &Call<'_>,
    cluster: &Cluster,
    path: &str,
    documents: &[Document<'_>],
    chunk: &mut Chunk<'_>,
    refusals: &mut Refusals,
    is_last: bool,
) -> Result<(), Error> {
    let _counted = call.count_argument_bytes(chunk.bytes(documents))?;
    let body = Body::Lines(chunk.body(documents).into());
    let request = Request { method: Method::POST, path, body, effect: Effect::Write };
    let mut buffer = call.buffer();
    let answer = cluster.send(call, request, &mut buffer).await?;
    if answer.status.as_u16() == outcome::TOO_BUSY {
        if is_last {
            outcome::refuse_all(chunk, documents, &answer, refusals);
        }
        return Ok(());
    }
    let answer = answer.success().map_err(error::of_write)?;
    outcome::read(&answer, chunk, documents, refusals, is_last)
}

/// The time before a retry. Clients that were refused together come back at different times.
fn delay(retry: u32) -> Duration {
    let time = FIRST_DELAY * 2_u32.pow(retry);
    time.mul_f64(0.5 + fastrand::f64() / 2.0)
}
