//! Lists buckets and objects.

use aws_sdk_s3::{
    primitives::{DateTime, DateTimeFormat},
    types::{EncodingType, Object},
};
use percent_encoding::percent_decode_str;

use super::{
    request::{Effect, request},
    store::Store,
};
use crate::{
    Error,
    data::time::iso,
    gate::{ByteCounter, Call, error::protocol},
};

/// The maximum number of objects in a page.
const PAGE: u32 = 1_000;

/// The memory of an entry of a list in addition to its texts, in bytes.
const ENTRY_BYTES: usize = 200;

pub(super) struct Bucket {
    pub(super) name: String,
    pub(super) created: String,
}

pub(super) struct Listed {
    pub(super) key: String,
    pub(super) size: u64,
    pub(super) modified: String,
    pub(super) etag: String,
}

/// Returns all buckets that the access key can list.
pub(super) async fn buckets(call: &Call<'_>, store: &Store) -> Result<Vec<Bucket>, Error> {
    let mut counter = call.answer_counter();
    let mut buckets = Vec::new();
    let mut token = None;
    loop {
        let answer =
            request(store, Effect::Read, || store.client.list_buckets().set_continuation_token(token.clone()).send())
                .await?;
        for bucket in answer.buckets.unwrap_or_default() {
            let name = bucket.name.ok_or_else(|| protocol("a bucket has no name"))?;
            counter.grow(name.len() + ENTRY_BYTES)?;
            buckets.push(Bucket { name, created: time(bucket.creation_date.as_ref())? });
        }
        token = next_token(token, answer.continuation_token)?;
        if token.is_none() {
            return Ok(buckets);
        }
    }
}

/// Returns up to `max` objects whose keys begin with `prefix`.
pub(super) async fn objects(
    call: &Call<'_>,
    store: &Store,
    bucket: &str,
    prefix: Option<&str>,
    max: u32,
) -> Result<Vec<Listed>, Error> {
    let mut counter = call.answer_counter();
    let mut objects: Vec<Listed> = Vec::new();
    let mut start = Start::default();
    loop {
        let left = max - u32::try_from(objects.len()).unwrap_or(max);
        let page = request(store, Effect::Read, || {
            let list = store.client.list_objects_v2().bucket(bucket).set_prefix(prefix.map(str::to_owned));
            // XML can't represent control characters, which a key may contain.
            let list = list.encoding_type(EncodingType::Url).max_keys(left.min(PAGE).cast_signed());
            list.set_continuation_token(start.token.clone()).set_start_after(start.after.clone()).send()
        })
        .await?;
        let (is_truncated, token) = (page.is_truncated == Some(true), page.next_continuation_token);
        let is_encoded = page.encoding_type == Some(EncodingType::Url);
        for object in page.contents.unwrap_or_default().into_iter().take(left as usize) {
            objects.push(entry(object, is_encoded, &mut counter)?);
        }
        if !is_truncated || objects.len() >= max as usize {
            return Ok(objects);
        }
        start = start.next(token, objects.last())?;
    }
}

/// Where a page begins.
#[derive(Default)]
struct Start {
    token: Option<String>,
    /// For servers without tokens.
    after: Option<String>,
}

impl Start {
    fn next(self, token: Option<String>, last: Option<&Listed>) -> Result<Self, Error> {
        if let Some(token) = next_token(self.token, token)? {
            return Ok(Self { token: Some(token), after: None });
        }
        let after = next_token(self.after, last.map(|object| object.key.clone()))?;
        if after.is_none() {
            Err(protocol("the server does not say where the next page begins"))
        } else {
            Ok(Self { token: None, after })
        }
    }
}

/// Returns the token of the next page. Fails when it is that of this page, since the list would never end.
fn next_token(before: Option<String>, next: Option<String>) -> Result<Option<String>, Error> {
    let next = next.filter(|token| !token.is_empty());
    if next.is_some() && next == before { Err(protocol("the server repeats a page of a list")) } else { Ok(next) }
}

fn entry(object: Object, is_encoded: bool, counter: &mut ByteCounter) -> Result<Listed, Error> {
    let key = object.key.ok_or_else(|| protocol("an object has no key"))?;
    let key = if is_encoded { decoded(&key)? } else { key };
    let etag = unquoted(object.e_tag.as_deref().unwrap_or_default()).to_owned();
    counter.grow(key.len() + etag.len() + ENTRY_BYTES)?;
    let size = object.size.and_then(|size| u64::try_from(size).ok());
    Ok(Listed {
        key,
        size: size.ok_or_else(|| protocol("an object has no size"))?,
        modified: time(object.last_modified.as_ref())?,
        etag,
    })
}

/// Decodes a key, in which a space is `+`, as in an HTML form.
fn decoded(key: &str) -> Result<String, Error> {
    let key = key.replace('+', " ");
    let decoded = percent_decode_str(&key).decode_utf8();
    decoded.map(Into::into).map_err(|_| protocol("a key is not UTF-8"))
}

pub(super) fn unquoted(etag: &str) -> &str {
    let weak = etag.strip_prefix("W/").unwrap_or(etag);
    weak.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(weak)
}

fn time(time: Option<&DateTime>) -> Result<String, Error> {
    let wrong = || protocol("a time is missing or out of range");
    let milliseconds = time.and_then(|time| time.to_millis().ok()).ok_or_else(wrong)?;
    match u64::try_from(milliseconds) {
        Ok(milliseconds) => Ok(iso(milliseconds)),
        Err(_) => before_1970(milliseconds).ok_or_else(wrong),
    }
}

/// Formats a time before 1970: a server whose objects are files returns the times of these files.
fn before_1970(milliseconds: i64) -> Option<String> {
    let seconds = DateTime::from_secs(milliseconds.div_euclid(1000)).fmt(DateTimeFormat::DateTime).ok()?;
    Some(format!("{}.{:03}Z", seconds.strip_suffix('Z')?, milliseconds.rem_euclid(1000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_tag_has_no_quotes() {
        for (given, expected) in [("\"a\"", "a"), ("a", "a"), ("W/\"a\"", "a"), ("\"", "\""), ("", "")] {
            assert_eq!(unquoted(given), expected);
        }
    }

    #[test]
    fn a_time_may_be_before_1970() {
        for (milliseconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-1000, "1969-12-31T23:59:59.000Z"),
            (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(time(Some(&DateTime::from_millis(milliseconds))).unwrap(), expected);
        }
        assert!(time(None).is_err());
    }

    #[test]
    fn a_key_is_decoded() {
        assert_eq!(decoded("a+b%2Bc%2Fd/%C3%A4%01").unwrap(), "a b+c/d/ä\u{1}");
        assert!(decoded("%FF").is_err());
    }

    #[test]
    fn a_repeated_page_is_refused() {
        let token = |text: &str| Some(text.to_owned());
        assert_eq!(next_token(None, token("a")).unwrap(), token("a"));
        assert_eq!(next_token(token("a"), token("")).unwrap(), None);
        assert!(next_token(token("a"), token("a")).is_err());
    }
}
