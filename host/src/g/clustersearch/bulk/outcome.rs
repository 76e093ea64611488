//! The outcome of storing documents: which were stored, and which were refused.

use std::borrow::Cow;

use elasticsearch::http::response;
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    super::{answer::Answer, body::each_item, error},
    chunk::Chunk,
    documents::Document,
};
use crate::{Error, gate::error::unknown_outcome};

/// The status of a request or a document for which the server is too busy.
pub(super) const TOO_BUSY: u16 = 429;

/// The maximum number of errors that are shown.
const MAX_ERRORS: usize = 100;

/// The longest error of a document that is parsed, in bytes. The parsed error takes many times this memory, which is
/// not counted.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// A document that was not stored.
pub(in super::super) struct Refused {
    pub(in super::super) position: usize,
    pub(in super::super) id: Option<String>,
    pub(in super::super) status: u16,
    pub(in super::super) reason: String,
}

/// The documents that were not stored: their number, and the first `MAX_ERRORS` of them.
#[derive(Default)]
pub(super) struct Refusals {
    count: u64,
    first: Vec<Refused>,
}

impl Refusals {
    /// Adds the document at a position. `make` is called only if it is one of the first.
    fn add(&mut self, position: usize, make: impl FnOnce() -> Refused) {
        self.count += 1;
        let at = self.first.partition_point(|other| other.position < position);
        if at < MAX_ERRORS {
            self.first.insert(at, make());
            self.first.truncate(MAX_ERRORS);
        }
    }

    fn add_all(&mut self, others: Self) {
        let more = others.count - others.first.len() as u64;
        others.first.into_iter().for_each(|one| self.add(one.position, || one));
        self.count += more;
    }
}

/// The outcome of a call.
pub(in super::super) struct Outcome {
    pub(in super::super) total: u64,
    pub(in super::super) successful: u64,
    refusals: Refusals,
}

impl Outcome {
    pub(super) fn of(documents: usize) -> Self {
        Self { total: documents as u64, successful: 0, refusals: Refusals::default() }
    }

    pub(super) fn add(&mut self, stored: u64, refusals: Refusals) {
        self.successful += stored;
        self.refusals.add_all(refusals);
    }

    pub(in super::super) fn failed(&self) -> u64 {
        self.refusals.count
    }

    /// Redacts the reasons, since they are texts of the server.
    pub(super) fn redact(&mut self, redact: impl Fn(&str) -> String) {
        self.refusals.first.iter_mut().for_each(|one| one.reason = redact(&one.reason));
    }

    /// Returns the first documents that were not stored.
    pub(in super::super) fn into_errors(self) -> Vec<Refused> {
        self.refusals.first
    }

    pub(super) fn counts(&self) -> serde_json::Value {
        json!({ "total": self.total, "successful": self.successful, "failed": self.failed() })
    }
}

#[derive(Deserialize)]
struct BulkAnswer<'a> {
    #[serde(borrow)]
    items: &'a RawValue,
}

/// The outcome of one document.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    index: Indexed<'a>,
}

#[derive(Deserialize)]
struct Indexed<'a> {
    status: u16,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads the answer to a request: counts the stored documents, collects the refused ones, and leaves those pending that
/// may be sent again.
///
/// Fails with `unavailable` when the answer does not match the request, which may have been executed.
pub(super) fn read(
    answer: &Answer,
    chunk: &mut Chunk<'_>,
    documents: &[Document<'_>],
    refusals: &mut Refusals,
    is_last: bool,
) -> Result<(), Error> {
    let unexpected = || unknown_outcome(error::not_a_cluster());
    let BulkAnswer { items } = answer.parse().map_err(unknown_outcome)?;
    let sent = std::mem::take(&mut chunk.pending);
    let mut positions = sent.iter().copied();
    let visit = |item: Item<'_>| {
        let position = positions.next().ok_or_else(unexpected)?;
        let Item { index: Indexed { status, error } } = item;
        match status {
            200..=299 => chunk.stored += 1,
            TOO_BUSY if !is_last => chunk.pending.push(position),
            _ => refusals.add(position, || refused(position, documents, status, reason(status, error, &answer.words))),
        }
        Ok(())
    };
    each_item(items.get(), visit).ok_or_else(unexpected)??;
    if positions.next().is_some() { Err(unexpected()) } else { Ok(()) }
}

/// Adds all pending documents to the refusals: the server refused the request as a whole.
pub(super) fn refuse_all(chunk: &mut Chunk<'_>, documents: &[Document<'_>], answer: &Answer, refusals: &mut Refusals) {
    let reason = error::Failure::of(answer).message();
    for position in chunk.pending.drain(..) {
        refusals.add(position, || refused(position, documents, TOO_BUSY, reason.clone()));
    }
}

fn refused(position: usize, documents: &[Document<'_>], status: u16, reason: String) -> Refused {
    let id = documents[position].id.as_ref().map(Cow::to_string);
    Refused { position, id, status, reason }
}

/// Returns the server's reason and its cause. An error that is too long is not parsed, so it has no reason.
fn reason(status: u16, error: Option<&RawValue>, words: &[String]) -> String {
    let found = error.filter(|error| error.get().len() <= MAX_ERROR_BYTES);
    let found = found.and_then(|error| serde_json::from_str::<response::Error>(error.get()).ok());
    let Some(found) = found else { return format!("the server answered with status {status} without a reason") };
    let failure = error::Failure::read(status, &found, words);
    match failure.shown_cause() {
        Some(cause) => format!("{}: {cause}", failure.message()),
        None => failure.message(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_refusals_are_kept_in_the_order_of_the_documents() {
        let one = |position| Refused { position, id: None, status: 400, reason: String::new() };
        let (mut all, mut later, mut earlier) = (Refusals::default(), Refusals::default(), Refusals::default());
        (500..750).for_each(|position| later.add(position, || one(position)));
        [7, 3, 5].into_iter().for_each(|position| earlier.add(position, || one(position)));
        all.add_all(later);
        all.add_all(earlier);
        assert_eq!((all.count, all.first.len()), (253, MAX_ERRORS));
        let positions: Vec<_> = all.first.iter().map(|one| one.position).take(4).collect();
        assert_eq!(positions, [3, 5, 7, 500]);
        all.add(900, || panic!("it is not one of the first"));
        assert_eq!(all.count, 254);
    }

    #[test]
    fn an_error_that_is_too_long_has_no_reason() {
        let read = |length: usize| {
            let text = format!(r#"{{"type":"t","reason":"no room","more":"{}"}}"#, "x".repeat(length));
            let error: Box<RawValue> = serde_json::from_str(&text).unwrap();
            reason(400, Some(&*error), &[])
        };
        assert_eq!(read(1_000), "no room");
        assert_eq!(read(MAX_ERROR_BYTES), "the server answered with status 400 without a reason");
    }
}
