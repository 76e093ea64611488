//! Assembles the result of a search from the text of the server's answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::{answer::Answer, error};
use crate::{Error, gate::ByteCounter};

/// The members of an answer that become part of the result.
#[derive(Deserialize)]
struct Found<'a> {
    #[serde(borrow)]
    hits: &'a RawValue,
    #[serde(borrow)]
    aggregations: Option<&'a RawValue>,
    #[serde(borrow)]
    suggest: Option<&'a RawValue>,
    #[serde(borrow)]
    took: Option<&'a RawValue>,
    #[serde(borrow)]
    timed_out: Option<&'a RawValue>,
    #[serde(borrow, rename = "_shards")]
    shards: Option<&'a RawValue>,
}

/// The number of shards of a search, and how many of them failed.
#[derive(Deserialize, Serialize)]
struct Shards {
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    successful: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<u64>,
    #[serde(default)]
    failed: u64,
}

/// The longest `_shards` that is returned with its failures, in bytes.
const MAX_SHARDS_BYTES: usize = 64 << 10;

/// Returns the `_shards` of an answer if some shards failed, otherwise `None`. `redact` replaces the texts of the
/// failures; if `_shards` is too long, the failures are omitted.
fn failed_shards(json: &str, redact: &impl Fn(&str) -> String) -> serde_json::Result<Option<String>> {
    let shards: Shards = serde_json::from_str(json)?;
    if shards.failed == 0 {
        return Ok(None);
    }
    if json.len() > MAX_SHARDS_BYTES {
        return serde_json::to_string(&shards).map(Some);
    }
    let mut shards = serde_json::from_str(json)?;
    redact_texts(&mut shards, redact);
    Ok(Some(shards.to_string()))
}

fn redact_texts(value: &mut Value, redact: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = redact(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_texts(item, redact)),
        Value::Object(members) => members.values_mut().for_each(|member| redact_texts(member, redact)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the `hits` of an answer, with the answer's other members inserted into the `hits` object. The result reuses
/// the memory of the answer; `counter` counts what is added. `redact` replaces the texts of failures.
pub(super) fn result(
    answer: Answer,
    counter: &mut ByteCounter,
    redact: &impl Fn(&str) -> String,
) -> Result<String, Error> {
    let found: Found<'_> = answer.parse()?;
    let hits = found.hits.get();
    let open = hits.strip_suffix('}').filter(|_| hits.starts_with('{')).ok_or_else(error::not_a_cluster)?;
    let shards = found.shards.map(|shards| failed_shards(shards.get(), redact));
    let shards = shards.transpose().map_err(|_| error::not_a_cluster())?.flatten();
    let more = [
        ("aggregations", found.aggregations.map(RawValue::get)),
        ("suggest", found.suggest.map(RawValue::get)),
        ("took", found.took.map(RawValue::get)),
        ("timed_out", found.timed_out.map(RawValue::get)),
        ("_shards", shards.as_deref()),
    ];
    let more = more.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let bytes = 1 + more.clone().map(|(_, value)| value.len() + MEMBER_BYTES).sum::<usize>();
    counter.grow(bytes)?;
    let mut added = String::with_capacity(bytes);
    let open = open.trim_end();
    let mut is_first = open.ends_with('{');
    for (name, value) in more {
        let comma = if std::mem::take(&mut is_first) { "" } else { "," };
        added.extend([comma, "\"", name, "\":", value]);
    }
    added.push('}');
    let range = answer.range_of(open);
    let mut json = answer.cut(range);
    // Usually there is room already: most of what is added was cut from the same buffer.
    if json.capacity() - json.len() < added.len() {
        counter.grow(json.len() + added.len())?;
        json.reserve_exact(added.len());
    }
    json += &added;
    Ok(json)
}

/// An upper bound of the bytes that a member takes in addition to its value: a comma, the name in quotes, a colon.
const MEMBER_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_shards_are_given_without_words_of_the_secret() {
        let shown = |json: &str| failed_shards(json, &|text: &str| text.replace("canary", "-")).unwrap();
        assert_eq!(shown(r#"{"total":2,"successful":2,"failed":0}"#), None);
        let failures = r#"[{"shard":0,"node":"canary","reason":{"type":"t","caused_by":{"reason":"at canary:9200"}}}]"#;
        let given = format!(r#"{{"total":2,"successful":1,"failed":1,"failures":{failures}}}"#);
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        assert_eq!(value(&shown(&given).unwrap()), value(&given.replace("canary", "-")));
        let long =
            format!(r#"{{"total":2,"successful":1,"failed":1,"failures":["{}"]}}"#, "x".repeat(MAX_SHARDS_BYTES));
        assert_eq!(shown(&long).unwrap(), r#"{"total":2,"successful":1,"failed":1}"#);
    }
}
