//! The forms of a document: as a script passes it, as it is stored, and as a result shows it.

use std::fmt;

use redb::StorageError;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{Error, data::checksum::checksum};

/// The names and values of an object, in their order.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'j> Deserialize<'j> for Members<'j> {
    fn deserialize<D: Deserializer<'j>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'j> Visitor<'j> for Reader {
            type Value = Members<'j>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// A document to be stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NewDocument {
    pub(super) collection: String,
    pub(super) key: String,
    /// JSON of the other fields, without those that have no value.
    pub(super) fields: String,
}

impl NewDocument {
    pub(super) fn read(json: &str) -> Result<Self, Error> {
        if serde_json::from_str::<IgnoredAny>(json).is_err() {
            return Err(Error::invalid("fields is not JSON"));
        }
        if !json.trim_start().starts_with('{') {
            return Err(Error::wrong_kind(format!("fields must be an object, not {}", kind(json.trim_start()))));
        }
        let Members(members) =
            serde_json::from_str(json).map_err(|_| Error::invalid("the name of a field is not well-formed Unicode"))?;
        let (mut collection, mut key, mut fields) = (None, None, String::from("{"));
        for (name, value) in &members {
            match &**name {
                "_collection" => collection = Some(string_member("_collection", value.get())?),
                "_key" => key = Some(string_member("_key", value.get())?),
                _ => add(&mut fields, name, value.get())?,
            }
        }
        let missing = |name| Error::wrong_kind(format!("fields has no {name}: a document needs _key and _collection"));
        let collection = collection.ok_or_else(|| missing("_collection"))?;
        Ok(Self { collection, key: key.ok_or_else(|| missing("_key"))?, fields: fields + "}" })
    }
}

/// Returns the value of a member that must be a string.
fn string_member(name: &str, value: &str) -> Result<String, Error> {
    if !value.starts_with('"') {
        return Err(Error::wrong_kind(format!("{name} must be a string, not {}", kind(value))));
    }
    serde_json::from_str(value).map_err(|_| Error::invalid(format!("{name} is not well-formed Unicode")))
}

fn add(fields: &mut String, name: &str, value: &str) -> Result<(), Error> {
    if value == "null" {
        return Ok(());
    }
    let refused = |what: &str| {
        let name = serde_json::Value::from(name);
        Err(Error::wrong_kind(format!(
            "field {name} {what}: a value is a string, a number, a boolean or an array of these"
        )))
    };
    match value.as_bytes().first() {
        Some(b'{') => return refused("is an object"),
        Some(b'[') if !is_flat(value) => return refused("holds an object or an array"),
        _ => {}
    }
    if fields.len() > 1 {
        fields.push(',');
    }
    *fields += &format!("{}:{value}", serde_json::Value::from(name));
    Ok(())
}

fn is_flat(array: &str) -> bool {
    let items: Result<Vec<&RawValue>, _> = serde_json::from_str(array);
    items.is_ok_and(|items| !items.iter().any(|item| item.get().starts_with(['{', '['])))
}

fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Returns stored fields as a result shows them: a JSON object of strings.
pub(crate) fn as_text(fields: &str) -> String {
    let Ok(Members(members)) = serde_json::from_str(fields) else { return fields.to_owned() };
    let texts = members.iter().map(|(name, value)| {
        let value = value.get();
        // A string is copied as it is; parsing would lose an unpaired surrogate.
        let text = if value.starts_with('"') { value.to_owned() } else { serde_json::Value::from(value).to_string() };
        format!("{}:{text}", serde_json::Value::from(&**name))
    });
    format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
}

/// Returns the key of a document's row: the number of the collection, then the key of the document.
pub(super) fn name(collection: u64, key: &str) -> Vec<u8> {
    [&collection.to_be_bytes()[..], key.as_bytes()].concat()
}

/// Returns the key of a document, from the key of its row.
pub(super) fn key(name: &[u8]) -> Result<String, redb::Error> {
    text(name.get(8..).ok_or_else(damaged)?)
}

/// Returns the row of a document: a checksum of the row's key and the rest, and the fields.
pub(super) fn row(name: &[u8], fields: &str) -> Vec<u8> {
    let sum = checksum(&[name, fields.as_bytes()]);
    [&sum.to_be_bytes()[..], fields.as_bytes()].concat()
}

/// Returns the fields in a row. Fails if the checksum is wrong.
pub(super) fn fields(name: &[u8], row: &[u8]) -> Result<String, redb::Error> {
    let (sum, fields) = row.split_first_chunk().ok_or_else(damaged)?;
    if u32::from_be_bytes(*sum) == checksum(&[name, fields]) { text(fields) } else { Err(damaged()) }
}

fn text(bytes: &[u8]) -> Result<String, redb::Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| damaged())
}

fn damaged() -> redb::Error {
    StorageError::Corrupted("a row of g.search".into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_kept_in_its_order_without_what_has_no_value() {
        let document =
            NewDocument::read(r#"{"z":"é\ud800","_key":"k","a":null,"n":1.5,"_collection":"c","l":[1,null,"x"]}"#);
        let document = document.unwrap();
        assert_eq!((&*document.collection, &*document.key), ("c", "k"));
        assert_eq!(document.fields, r#"{"z":"é\ud800","n":1.5,"l":[1,null,"x"]}"#);
        assert_eq!(as_text(&document.fields), r#"{"z":"é\ud800","n":"1.5","l":"[1,null,\"x\"]"}"#);
    }

    #[test]
    fn a_document_that_is_not_flat_or_lacks_its_key_or_collection_is_refused() {
        let cases = [
            ("[]", "fields must be an object, not an array"),
            ("{}", "fields has no _collection: a document needs _key and _collection"),
            (r#"{"_collection":"c"}"#, "fields has no _key: a document needs _key and _collection"),
            (r#"{"_collection":"c","_key":5}"#, "_key must be a string, not a number"),
        ];
        for (json, message) in cases {
            assert_eq!(NewDocument::read(json).unwrap_err().message, message);
        }
        for json in [r#"{"a":{}}"#, r#"{"a":[[]]}"#, r#"{"a":[1,{}]}"#] {
            assert!(NewDocument::read(json).unwrap_err().message.starts_with("field \"a\" "), "{json}");
        }
    }
}
