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

/// The maximum number of requests in flight for one call. The server processes them in parallel.
const REQUESTS: usize = 4;
/// How often a request is sent again because of the server's load.
const RETRIES: u32 = 9;
/// The longest delay before the first retry. It doubles with each further one, which makes 25 s in total at most; the
/// actual delay is random, between half of the longest and all of it.
const FIRST_DELAY: Duration = Duration::from_millis(50);

/// The documents to store, and how to send them.
pub(super) struct Input<'a> {
    /// The path of the requests, with its query.
    pub(super) path: &'a str,
    /// A JSON array of objects.
    pub(super) documents: &'a str,
    /// The maximum number of documents in a request.
    pub(super) chunk_size: usize,
}

/// Stores documents. The outcome lists documents that the server refuses.
///
/// Fails when a request as a whole fails; the details of the error contain the outcome so far.
pub(super) async fn store(call: &Call<'_>, cluster: &Cluster, input: Input<'_>) -> Result<Outcome, Error> {
    // The list of documents is counted too: for short documents, it takes more memory than their text.
    let mut list = call.argument_counter();
    let documents = documents::read(input.documents, &mut list)?;
    let mut chunks = Chunks::of(&documents, input.chunk_size);
    let mut outcome = Outcome::of(documents.len());
    let (mut sending, mut failure) = (FuturesUnordered::new(), None::<Error>);
    loop {
        while failure.is_none() && sending.len() < REQUESTS {
            let Some(chunk) = chunks.next() else { break };
            sending.push(send(call, cluster, input.path, &documents, chunk));
        }
        let Some((chunk, result, refusals)) = sending.next().await else { break };
        chunks.finish(&chunk);
        outcome.add(chunk.stored, refusals);
        if let Err(error) = result {
            failure = Some(first_of(failure, error));
        }
    }
    outcome.redact(|reason| call.redact(reason, |word| input.documents.contains(word)));
    match failure {
        None => Ok(outcome),
        Some(error) => Err(error.with_detail("result", outcome.counts())),
    }
}

/// Returns the earlier of two errors, marked as having an unknown outcome if one of the two is.
fn first_of(first: Option<Error>, later: Error) -> Error {
    let Some(first) = first else { return later };
    let is_unknown = later.details.is_some_and(|details| details["unknownOutcome"] == true);
    if is_unknown { unknown_outcome(first) } else { first }
}

/// Sends the documents of a chunk, and sends those again for which the server was too busy.
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

/// Sends the pending documents once. Documents for which the server was too busy stay pending, unless `is_last` is
/// true.
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
    let mut counter = call.answer_counter();
    let answer = cluster.send(call, request, &mut counter).await?;
    if answer.status.as_u16() == outcome::TOO_BUSY {
        if is_last {
            outcome::refuse_all(chunk, documents, &answer, refusals);
        }
        return Ok(());
    }
    let answer = answer.success().map_err(error::of_write)?;
    outcome::read(&answer, chunk, documents, refusals, is_last)
}

/// Returns the delay before a retry. It is random, so that clients that were refused at the same time retry at
/// different times.
fn delay(retry: u32) -> Duration {
    let time = FIRST_DELAY * 2_u32.pow(retry);
    time.mul_f64(0.5 + fastrand::f64() / 2.0)
}
