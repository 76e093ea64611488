//! Reads the answers of a server, within limits. The server may not be a search cluster at all.

use std::{ops::Range, sync::Arc, time::Duration};

use elasticsearch::http::{
    StatusCode,
    headers::{CONTENT_TYPE, HeaderMap},
};
use reqwest::Response;
use serde::Deserialize;
use tokio::time::timeout;

use super::error;
use crate::{Error, data::validate::nesting, gate::ByteCounter};

/// The longest error that is read, in bytes.
const ERROR_BYTES: usize = 1 << 20;
/// At least how many bytes are allocated at a time for an answer.
const STEP: usize = 64 << 10;
/// The length, in bytes, from which on the memory of an answer grows by a quarter at a time. The memory of a shorter
/// answer doubles.
const LARGE: usize = 1 << 20;
/// How deep an answer may be nested. The script's own parser has the same limit.
const DEPTH: usize = 20_000;

/// An answer of a search cluster: a success in JSON, or an error.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    /// The words of the secret, which texts of the answer may repeat.
    pub(super) words: Arc<[String]>,
    /// Empty for an error that is not JSON or is longer than `ERROR_BYTES`.
    text: String,
}

impl Answer {
    /// Reads an answer part by part, each within `stalled`. `counter` counts its memory.
    ///
    /// Fails with `unavailable` when it is not an answer of a search cluster or does not arrive completely, and with
    /// `limit` when it exceeds a limit of the run.
    pub(super) async fn read(
        mut response: Response,
        stalled: Duration,
        words: Arc<[String]>,
        counter: &mut ByteCounter,
    ) -> Result<Self, Error> {
        let status = response.status();
        if status.is_redirection() {
            return Err(error::redirected(status));
        }
        if status.is_informational() {
            return Err(error::not_a_cluster());
        }
        let is_error = !status.is_success();
        if !is_json(response.headers()) {
            return if is_error {
                Ok(Self { status, words, text: String::new() })
            } else {
                Err(error::not_a_cluster())
            };
        }
        let mut bytes = Vec::new();
        loop {
            let chunk = timeout(stalled, response.chunk()).await.map_err(|_| error::stalled(stalled))?;
            let Some(chunk) = chunk.map_err(|_| error::cut_answer())? else { break };
            if is_error && bytes.len() + chunk.len() > ERROR_BYTES {
                return Ok(Self { status, words, text: String::new() });
            }
            make_room(&mut bytes, chunk.len(), counter)?;
            bytes.extend_from_slice(&chunk);
        }
        let text = String::from_utf8(bytes).map_err(|_| error::not_utf8())?;
        if nesting(&text) > DEPTH {
            return Err(error::too_deep(DEPTH));
        }
        Ok(Self { status, words, text })
    }

    /// Deserializes the answer.
    ///
    /// Fails with `unavailable` when it is not JSON of this type.
    pub(super) fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        serde_json::from_str(&self.text).map_err(|_| error::not_a_cluster())
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the range of a part of the text. `part` must borrow from the text.
    pub(super) fn range_of(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + part.len()
    }

    /// Returns a part of the text, in the memory of the whole text.
    pub(super) fn cut(self, range: Range<usize>) -> String {
        let mut text = self.text;
        text.truncate(range.end);
        text.drain(..range.start);
        text
    }

    /// Returns the answer itself if its status is a success, otherwise its error.
    pub(super) fn success(self) -> Result<Self, Error> {
        if self.status.is_success() { Ok(self) } else { Err(error::of_answer(&self)) }
    }
}

/// Makes room for a part, and counts the memory before it is allocated. A `Vec` that grows by itself would double the
/// memory of a long answer.
fn make_room(bytes: &mut Vec<u8>, part: usize, counter: &mut ByteCounter) -> Result<(), Error> {
    let free = bytes.capacity() - bytes.len();
    if free >= part {
        return Ok(());
    }
    let length = bytes.len();
    let more = part.max(STEP).max(if length < LARGE { length } else { length / 4 });
    counter.grow(length + more - bytes.capacity())?;
    bytes.reserve_exact(more);
    Ok(())
}

/// Whether the content type is one that Elasticsearch 7, 8 and 9 or OpenSearch use for JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "application/json" | "application/vnd.elasticsearch+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_an_answer_stays_in_its_memory() {
        let answer =
            Answer { status: StatusCode::OK, words: Arc::default(), text: "{\"a\":1, \"b\": {\"é\":2} }".into() };
        let place = answer.text.as_ptr();
        let members: std::collections::BTreeMap<&str, &serde_json::value::RawValue> = answer.parse().unwrap();
        let range = answer.range_of(members["b"].get());
        let part = answer.cut(range);
        assert_eq!((part.as_str(), part.as_ptr()), ("{\"é\":2}", place));
    }

    #[test]
    fn the_content_types_of_all_versions_are_json() {
        let is = |value: &str| is_json(&HeaderMap::from_iter([(CONTENT_TYPE, value.parse().unwrap())]));
        assert!(is("application/json; charset=UTF-8") && is("application/json"));
        assert!(is("application/vnd.elasticsearch+json;compatible-with=8") && is("Application/JSON;charset=utf-8"));
        assert!(!is("text/html") && !is("application/json5") && !is("application/x-ndjson") && !is(""));
        assert!(!is_json(&HeaderMap::new()));
    }
}
