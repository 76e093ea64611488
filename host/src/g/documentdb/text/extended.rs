//! Extended JSON (version 2): objects such as `{ $oid }` that stand for values of BSON.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use mongodb::bson::{
    Binary, Bson, DateTime, Document, JavaScriptCodeWithScope, RawDocument, Regex, Timestamp, Uuid, oid::ObjectId,
    raw::CString, spec::BinarySubtype,
};
use serde_json::{Value, json as value_of};

/// Returns the value that a document stands for; the document itself if it is not Extended JSON.
///
/// Fails for malformed Extended JSON, with a text that names the allowed form.
pub(super) fn interpret(mut document: Document) -> Result<Bson, String> {
    let (first, length) = match document.keys().next() {
        Some(first) if first.starts_with('$') && document.len() <= 2 => (first.clone(), document.len()),
        _ => return Ok(Bson::Document(document)),
    };
    let second = document.keys().nth(1).cloned();
    let known = match (first.as_str(), second.as_deref()) {
        ("$code", Some("$scope")) | ("$scope", Some("$code")) => return code(document),
        ("$binary", Some("$type")) => return legacy_binary(&document),
        (name, None) if length == 1 => single(name),
        _ => None,
    };
    let Some(convert) = known else { return Ok(Bson::Document(document)) };
    convert(document.remove(&first).unwrap_or(Bson::Null))
}

type Convert = fn(Bson) -> Result<Bson, String>;

/// Returns the conversion for a document whose only member has this name; `None` if it is not Extended JSON.
fn single(name: &str) -> Option<Convert> {
    Some(match name {
        "$oid" => |value| {
            let id = value.as_str().and_then(|text| ObjectId::parse_str(text).ok());
            id.map(Bson::ObjectId).ok_or_else(|| must_be("$oid", "24 hexadecimal digits"))
        },
        "$symbol" => |value| text(value).map(Bson::Symbol).ok_or_else(|| must_be("$symbol", "a string")),
        "$numberInt" => |value| number(&value, "$numberInt", "an int32 as a string").map(Bson::Int32),
        "$numberLong" => |value| number(&value, "$numberLong", "an int64 as a string").map(Bson::Int64),
        "$numberDouble" => |value| number(&value, "$numberDouble", "a number as a string").map(Bson::Double),
        "$numberDecimal" => |value| {
            number(&value, "$numberDecimal", "a number that a Decimal128 can hold, as a string").map(Bson::Decimal128)
        },
        "$binary" => binary,
        "$uuid" => |value| {
            let uuid = value.as_str().and_then(|text| Uuid::parse_str(text).ok());
            uuid.map(Bson::from).ok_or_else(|| must_be("$uuid", "a UUID"))
        },
        "$code" => |value| text(value).map(Bson::JavaScriptCode).ok_or_else(|| must_be("$code", "a string")),
        "$timestamp" => timestamp,
        "$regularExpression" => pattern,
        "$dbPointer" => pointer,
        "$date" => date,
        "$minKey" => |value| constant(&value, Bson::MinKey, "$minKey"),
        "$maxKey" => |value| constant(&value, Bson::MaxKey, "$maxKey"),
        "$undefined" => |value| {
            if value == Bson::Boolean(true) { Ok(Bson::Undefined) } else { Err(must_be("$undefined", "true")) }
        },
        _ => return None,
    })
}

fn must_be(name: &str, allowed: &str) -> String {
    format!("is not valid Extended JSON: {name} must be {allowed}")
}

fn text(value: Bson) -> Option<String> {
    if let Bson::String(text) = value { Some(text) } else { None }
}

fn number<T: std::str::FromStr>(value: &Bson, name: &str, allowed: &str) -> Result<T, String> {
    value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| must_be(name, allowed))
}

fn constant(value: &Bson, constant: Bson, name: &str) -> Result<Bson, String> {
    if integer(value) == Some(1) { Ok(constant) } else { Err(must_be(name, "1")) }
}

fn integer(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some((*number).into()),
        Bson::Int64(number) => Some(*number),
        _ => None,
    }
}

fn code(mut document: Document) -> Result<Bson, String> {
    match (document.remove("$code"), document.remove("$scope")) {
        (Some(Bson::String(code)), Some(Bson::Document(scope))) => {
            Ok(Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code, scope }))
        }
        _ => Err(must_be("$code", "a string, and $scope an object")),
    }
}

fn binary(value: Bson) -> Result<Bson, String> {
    let allowed = || must_be("$binary", "{ base64, subType }");
    let parts = value.as_document().filter(|parts| parts.len() == 2).ok_or_else(allowed)?;
    let base64 = parts.get_str("base64").map_err(|_| allowed())?;
    binary_of(base64, parts.get_str("subType").map_err(|_| allowed())?).ok_or_else(allowed)
}

/// Converts `{ $binary: "…", $type: "00" }`, the form of version 1.
fn legacy_binary(document: &Document) -> Result<Bson, String> {
    let parts = document.get_str("$binary").ok().zip(document.get_str("$type").ok());
    let made = parts.and_then(|(base64, subtype)| binary_of(base64, subtype));
    made.ok_or_else(|| must_be("$binary", "Base64, and $type two hexadecimal digits"))
}

fn binary_of(base64: &str, subtype: &str) -> Option<Bson> {
    let subtype = u8::from_str_radix(subtype, 16).ok()?;
    Binary::from_base64(base64, BinarySubtype::from(subtype)).ok().map(Bson::Binary)
}

fn timestamp(value: Bson) -> Result<Bson, String> {
    let part = |name| value.as_document()?.get(name).and_then(integer)?.try_into().ok();
    let parts = part("t").zip(part("i")).filter(|_| value.as_document().is_some_and(|parts| parts.len() == 2));
    let parts = parts.ok_or_else(|| must_be("$timestamp", "{ t, i }, each from 0 to 4294967295"))?;
    Ok(Bson::Timestamp(Timestamp { time: parts.0, increment: parts.1 }))
}

fn pattern(value: Bson) -> Result<Bson, String> {
    let part = |name| CString::try_from(value.as_document()?.get_str(name).ok()?.to_owned()).ok();
    let parts = part("pattern").zip(part("options"));
    let (pattern, options) = parts.ok_or_else(|| must_be("$regularExpression", "{ pattern, options }, without NUL"))?;
    Ok(Bson::RegularExpression(Regex { pattern, options }))
}

/// Converts a DBPointer. The `bson` crate has no constructor for it, so it is decoded from bytes.
fn pointer(value: Bson) -> Result<Bson, String> {
    let allowed = || must_be("$dbPointer", "{ $ref, $id }");
    let parts = value.as_document().ok_or_else(allowed)?;
    let (name, id) =
        (parts.get_str("$ref").map_err(|_| allowed())?, parts.get_object_id("$id").map_err(|_| allowed())?);
    let mut bytes = vec![0; 4];
    bytes.extend([0x0c, b'p', 0]);
    bytes.extend(u32::try_from(name.len() + 1).map_err(|_| allowed())?.to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.push(0);
    bytes.extend(id.bytes());
    bytes.push(0);
    let length = u32::try_from(bytes.len()).map_err(|_| allowed())?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    let document: Document =
        RawDocument::from_bytes(&bytes).ok().and_then(|raw| raw.try_into().ok()).ok_or_else(allowed)?;
    document.get("p").cloned().ok_or_else(allowed)
}

fn date(value: Bson) -> Result<Bson, String> {
    let parsed = match &value {
        Bson::String(text) => DateTime::parse_rfc3339_str(text).ok(),
        other => integer(other).map(DateTime::from_millis),
    };
    parsed.map(Bson::DateTime).ok_or_else(|| must_be("$date", "an ISO 8601 date or { $numberLong: milliseconds }"))
}

/// Returns a value as relaxed Extended JSON, for messages and ids.
pub(in crate::g::documentdb) fn json(value: &Bson) -> Value {
    match value {
        Bson::Null => Value::Null,
        Bson::Boolean(boolean) => (*boolean).into(),
        Bson::Int32(number) => (*number).into(),
        // As in results: from 2^53 on, a number of JavaScript is not exact.
        Bson::Int64(number) if number.unsigned_abs() >= 1 << 53 => value_of!({ "$numberLong": number.to_string() }),
        Bson::Int64(number) => (*number).into(),
        Bson::Double(number) if number.is_finite() => (*number).into(),
        Bson::Double(number) => value_of!({ "$numberDouble": special(*number) }),
        Bson::String(text) => text.as_str().into(),
        Bson::Array(items) => items.iter().map(json).collect(),
        Bson::Document(document) => {
            Value::Object(document.iter().map(|(name, value)| (name.clone(), json(value))).collect())
        }
        Bson::ObjectId(id) => value_of!({ "$oid": id.to_hex() }),
        Bson::DateTime(date) => match date.try_to_rfc3339_string() {
            Ok(text) if (0..=253_402_300_799_999).contains(&date.timestamp_millis()) => value_of!({ "$date": text }),
            _ => value_of!({ "$date": { "$numberLong": date.timestamp_millis().to_string() } }),
        },
        Bson::Decimal128(number) => value_of!({ "$numberDecimal": number.to_string() }),
        Bson::Binary(binary) => value_of!({ "$binary": {
            "base64": BASE64.encode(&binary.bytes),
            "subType": format!("{:02x}", u8::from(binary.subtype)),
        } }),
        Bson::Timestamp(Timestamp { time, increment }) => value_of!({ "$timestamp": { "t": time, "i": increment } }),
        Bson::RegularExpression(regex) => value_of!({ "$regularExpression": {
            "pattern": regex.pattern.as_str(),
            "options": regex.options.as_str(),
        } }),
        Bson::JavaScriptCode(code) => value_of!({ "$code": code }),
        Bson::JavaScriptCodeWithScope(code) => {
            value_of!({ "$code": code.code, "$scope": json(&Bson::Document(code.scope.clone())) })
        }
        Bson::Symbol(symbol) => value_of!({ "$symbol": symbol }),
        Bson::Undefined => value_of!({ "$undefined": true }),
        Bson::MinKey => value_of!({ "$minKey": 1 }),
        Bson::MaxKey => value_of!({ "$maxKey": 1 }),
        Bson::DbPointer(_) => value_of!({ "$dbPointer": {} }),
    }
}

fn special(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        _ => "-Infinity",
    }
}

/// Returns an id as text: the digits of an ObjectId, a string itself, Extended JSON for the rest.
pub(in crate::g::documentdb) fn id_text(id: &Bson) -> String {
    match id {
        Bson::ObjectId(id) => id.to_hex(),
        Bson::String(text) => text.clone(),
        other => json(other).to_string(),
    }
}
