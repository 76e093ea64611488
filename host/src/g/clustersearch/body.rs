//! Checks the JSON that a script passes for the body of a request. The JSON stays text, so that no number changes.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer as _,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{Error, ErrorCode, data::validate::nesting};

/// How deep a body may be nested. A deeper one may crash the server.
const DEPTH: usize = 1_000;

/// Checks that a text is one JSON object. `what` names it in errors.
///
/// Fails with `invalid-argument`, and with `query-syntax` and the position when it is not JSON.
pub(super) fn check_object(what: &str, text: &str) -> Result<(), Error> {
    let depth = nesting(text);
    if depth > DEPTH {
        return Err(Error::invalid(format!("{what} is nested {depth} levels deep, the limit is {DEPTH}")));
    }
    let value: &RawValue = serde_json::from_str(text).map_err(|error| malformed(what, text, &error))?;
    check_kind(what, value.get())
}

/// Checks that the text of a JSON value is an object.
pub(super) fn check_kind(what: &str, json: &str) -> Result<(), Error> {
    match kind(json) {
        OBJECT => Ok(()),
        other => Err(Error::wrong_kind(format!("{what} must be an object, not {other}"))),
    }
}

const OBJECT: &str = "an object";

/// Returns the kind of a JSON value, with its article.
pub(super) fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'{') => OBJECT,
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

fn malformed(what: &str, text: &str, error: &serde_json::Error) -> Error {
    let position = position(text, error.line(), error.column());
    Error::new(ErrorCode::QuerySyntax, format!("{what} is not JSON: {error}")).with_detail("position", position)
}

/// Returns the position of an error in UTF-16 code units, as in JavaScript. The parser counts lines and bytes from 1.
fn position(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let end = (start + column.saturating_sub(1)).min(text.len());
    String::from_utf8_lossy(&text.as_bytes()[..end]).encode_utf16().count()
}

/// Visits the items of a JSON array one by one, so that they need not all be in memory. Ends at the first error of
/// `visit`, and returns it.
///
/// Returns `None` when the text is not an array of items of this type.
pub(super) fn each_item<'a, T: Deserialize<'a>>(
    json: &'a str,
    visit: impl FnMut(T) -> Result<(), Error>,
) -> Option<Result<(), Error>> {
    let mut failure = None;
    let items = Items { visit, failure: &mut failure, item: PhantomData };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let done = deserializer.deserialize_seq(items).and_then(|()| deserializer.end());
    match (done, failure) {
        (_, Some(error)) => Some(Err(error)),
        (Ok(()), None) => Some(Ok(())),
        (Err(_), None) => None,
    }
}

struct Items<'e, T, V> {
    visit: V,
    failure: &'e mut Option<Error>,
    item: PhantomData<T>,
}

impl<'a, T: Deserialize<'a>, V: FnMut(T) -> Result<(), Error>> Visitor<'a> for Items<'_, T, V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            if let Err(error) = (self.visit)(item) {
                *self.failure = Some(error);
                return Err(de::Error::custom("the visitor failed"));
            }
        }
        Ok(())
    }
}

/// Visits the members of a JSON object in their order, each with the text of its value. One by one, because a list of
/// all names would take many times the memory of the text when there are many short members.
///
/// Fails when the text is not an object, or has a name that is not well-formed Unicode.
pub(super) fn each_member<'a>(
    json: &'a str,
    visit: impl FnMut(Cow<'a, str>, &'a RawValue),
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(Members(visit)).and_then(|()| deserializer.end())
}

struct Members<V>(V);

impl<'a, V: FnMut(Cow<'a, str>, &'a RawValue)> Visitor<'a> for Members<V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some((Name(name), value)) = members.next_entry::<Name<'a>, &'a RawValue>()? {
            (self.0)(name, value);
        }
        Ok(())
    }
}

/// The name of a member. It is borrowed from the text if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The maximum number of bytes that `of_index` adds to the given text.
pub(super) const INDEX_BYTES: usize = 16;

/// Returns the body of the request that creates an index. The given text is the body itself, or only its `mappings`.
///
/// Fails as [`check_object`] does, but a text that is not JSON is an `invalid-argument`.
pub(super) fn of_index(mapping: &str) -> Result<String, Error> {
    check_object("mappingJson", mapping).map_err(|mut error| {
        if error.code == ErrorCode::QuerySyntax {
            error.code = ErrorCode::InvalidArgument;
        }
        error
    })?;
    let mut is_whole = false;
    let visit =
        |name: Cow<'_, str>, _: &RawValue| is_whole |= matches!(name.as_ref(), "mappings" | "settings" | "aliases");
    each_member(mapping, visit).map_err(|_| unreadable_names())?;
    Ok(if is_whole { mapping.to_owned() } else { format!("{{\"mappings\":{mapping}}}") })
}

fn unreadable_names() -> Error {
    Error::invalid("mappingJson has a member whose name is not well-formed Unicode")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_one_object() {
        assert!(check_object("it", " {\"a\": [1e999, 12345678901234567890]} ").is_ok());
        for (text, kind) in [("[]", "an array"), ("1", "a number"), ("\"a\"", "a string"), ("null", "null")] {
            let error = check_object("it", text).unwrap_err();
            assert_eq!(error.message, format!("it must be an object, not {kind}"));
        }
        let deep = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
        assert!(check_object("it", &deep(1_000)).is_ok());
        for levels in [1_001, 1_000_000] {
            let error = check_object("it", &deep(levels)).unwrap_err();
            assert_eq!(error.message, format!("it is nested {levels} levels deep, the limit is 1000"));
        }
    }

    #[test]
    fn the_place_of_an_error_is_counted_as_in_javascript() {
        for text in ["{\"query\"}", "{\"é😀\": ,}", "{\n \"é\": 1,\n x}", "{", ""] {
            let error = check_object("it", text).unwrap_err();
            assert_eq!(error.code, ErrorCode::QuerySyntax, "{text}");
            let at = usize::try_from(error.details.unwrap()["position"].as_u64().unwrap()).unwrap();
            let before: String = char::decode_utf16(text.encode_utf16().take(at)).map(Result::unwrap).collect();
            let expected = match text {
                "{\"query\"}" => "{\"query\"",
                "{\"é😀\": ,}" => "{\"é😀\": ",
                "{" | "" => "",
                _ => "{\n \"é\": 1,\n ",
            };
            assert_eq!(before, expected, "{text}");
        }
    }

    #[test]
    fn items_are_visited_until_one_is_refused() {
        let mut seen = Vec::new();
        let visit = |item: &RawValue| {
            seen.push(item.get().to_owned());
            if item.get() == "3" { Err(Error::invalid("three")) } else { Ok(()) }
        };
        assert_eq!(each_item("[1, {\"a\" : 2},3,4]", visit).unwrap().unwrap_err().message, "three");
        assert_eq!(seen, ["1", "{\"a\" : 2}", "3"]);
        assert!(each_item("[1,2]", |_: &RawValue| Ok(())).unwrap().is_ok());
        assert!(each_item("{}", |_: &RawValue| Ok(())).is_none());
        assert!(each_item("[1", |_: &RawValue| Ok(())).is_none());
        assert!(each_item("[1] 2", |_: &RawValue| Ok(())).is_none());
    }

    #[test]
    fn mappings_alone_become_a_body() {
        let mappings = r#"{"properties":{"n":{"type":"long"}}}"#;
        assert_eq!(of_index(mappings).unwrap(), format!("{{\"mappings\":{mappings}}}"));
        for whole in [r#"{"mappings":{}}"#, r#"{"settings":{"x":1},"mappings":{}}"#, r#"{"aliases":{}}"#] {
            assert_eq!(of_index(whole).unwrap(), whole);
        }
        let many = format!("{{{}\"settings\":{{}}}}", "\"\":0,".repeat(1_000));
        assert_eq!(of_index(&many).unwrap(), many);
        assert_eq!(of_index("{").unwrap_err().code, ErrorCode::InvalidArgument);
        assert_eq!(of_index(r#"{"\ud800":1}"#).unwrap_err().code, ErrorCode::InvalidArgument);
    }
}
