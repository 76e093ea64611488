//! Converts the script's values to text, which the server converts to the types that it needs.

use std::{borrow::Cow, fmt::Display};

use postgres_types::Type as Builtin;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::wire::{PARAMETERS, Type};
use crate::{Error, g::json::quote as quote_json};

/// A value of the script. `sqldb.wit` defines its form at the boundary.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Js<'a> {
    Null,
    Boolean(bool),
    Text(Cow<'a, str>),
    /// As JavaScript prints it.
    Number(Cow<'a, str>),
    BigInt(String),
    /// As `Date.prototype.toISOString` prints it.
    Date(String),
    /// In hexadecimal.
    Bytes(String),
    Array(Vec<Js<'a>>),
    /// Any JSON.
    Json(&'a str),
}

/// The number of levels that arrays may be nested.
const DEPTH: usize = 64;

/// Parses `sql-values`.
///
/// Fails with `invalid-argument` for anything else.
pub(super) fn read<'a>(what: &str, text: &'a str) -> Result<Vec<Js<'a>>, Error> {
    items(text, DEPTH).ok_or_else(|| Error::invalid(format!("{what} does not have the format of sql-values")))
}

/// Parses an item of `sql-values`.
///
/// Fails with `invalid-argument` for anything else. `place` is what the error calls it.
pub(super) fn read_item<'a>(place: &dyn Display, text: &'a str) -> Result<Js<'a>, Error> {
    let item = serde_json::from_str::<&RawValue>(text).ok().and_then(|item| value(item.get(), DEPTH));
    item.ok_or_else(|| Error::invalid(format!("{place} does not have the format of sql-values")))
}

fn items(text: &str, depth: usize) -> Option<Vec<Js<'_>>> {
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    items.into_iter().map(|item| value(item.get(), depth)).collect()
}

fn value(text: &str, depth: usize) -> Option<Js<'_>> {
    Some(match text.as_bytes().first()? {
        b'n' => Js::Null,
        b't' => Js::Boolean(true),
        b'f' => Js::Boolean(false),
        b'"' => Js::Text(string(text)?),
        b'[' => marked(text, depth.checked_sub(1)?)?,
        b'{' => return None,
        _ => Js::Number(Cow::Borrowed(text)),
    })
}

/// A string; most need no copy.
fn string(text: &str) -> Option<Cow<'_, str>> {
    match text.contains('\\') {
        true => serde_json::from_str(text).ok().map(Cow::Owned),
        false => text.get(1..text.len() - 1).map(Cow::Borrowed),
    }
}

/// `["bigint","12"]`
fn marked(text: &str, depth: usize) -> Option<Js<'_>> {
    let (kind, value): (Cow<'_, str>, &RawValue) = serde_json::from_str(text).ok()?;
    let value = value.get();
    Some(match &*kind {
        "number" => Js::Number(parsed::<String>(value).filter(|text| text.parse::<f64>().is_ok())?.into()),
        "bigint" => {
            let digits = |text: &String| {
                let digits = text.strip_prefix('-').unwrap_or(text);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            };
            Js::BigInt(parsed::<String>(value).filter(digits)?)
        }
        "date" => Js::Date(parsed(value)?),
        "bytes" => {
            let hex = |text: &String| text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            Js::Bytes(parsed::<String>(value).filter(hex)?)
        }
        "array" => Js::Array(items(value, depth)?),
        "json" => Js::Json(value),
        _ => return None,
    })
}

fn parsed<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// Returns the text of a value for a type; None for NULL. Errors call the value `place`.
///
/// Fails with `invalid-argument` for bytes where JSON is needed.
pub(super) fn text<'a>(place: &dyn Display, js: &'a Js<'_>, ty: &Type) -> Result<Option<Cow<'a, str>>, Error> {
    if ty.is_json() {
        return json(place, js);
    }
    Ok(Some(match js {
        Js::Null => return Ok(None),
        Js::Boolean(boolean) => Cow::Borrowed(if *boolean { "true" } else { "false" }),
        Js::Text(text) => Cow::Borrowed(text),
        Js::Number(text) => Cow::Borrowed(text),
        Js::BigInt(digits) => Cow::Borrowed(digits),
        Js::Date(iso) => date(iso),
        Js::Bytes(hex) => Cow::Owned(format!("\\x{hex}")),
        Js::Array(items) => Cow::Owned(match ty {
            Type::Array { item, separator, .. } => array(place, items, item, *separator)?,
            // What the server makes of an array of no type that is known is its own: it gets the form of arrays.
            _ if ty.is(&Builtin::UNKNOWN) => array(place, items, &Builtin::TEXT.into(), ',')?,
            _ => json_array(place, items)?,
        }),
        Js::Json(text) => Cow::Borrowed(text),
    }))
}

/// Returns a value for `json` or `jsonb`, where a string is the JSON itself.
fn json<'a>(place: &dyn Display, js: &'a Js<'_>) -> Result<Option<Cow<'a, str>>, Error> {
    match js {
        Js::Null => Ok(None),
        Js::Text(text) => Ok(Some(Cow::Borrowed(text))),
        other => {
            let mut out = String::new();
            write_json(&mut out, place, other)?;
            Ok(Some(Cow::Owned(out)))
        }
    }
}

fn json_array(place: &dyn Display, items: &[Js<'_>]) -> Result<String, Error> {
    let mut out = String::from("[");
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_json(&mut out, place, item)?;
    }
    out.push(']');
    Ok(out)
}

/// Writes a value as `JSON.stringify` does; a BigInt becomes a number with all its digits.
fn write_json(out: &mut String, place: &dyn Display, js: &Js<'_>) -> Result<(), Error> {
    match js {
        Js::Null => *out += "null",
        Js::Boolean(boolean) => *out += if *boolean { "true" } else { "false" },
        Js::Text(text) => quote_json(out, text),
        Js::Number(text) => *out += if text.parse::<f64>().is_ok_and(f64::is_finite) { text } else { "null" },
        Js::BigInt(digits) => *out += digits,
        Js::Date(iso) => quote_json(out, iso),
        Js::Bytes(_) => return Err(Error::wrong_kind(format!("{place} contains bytes, which JSON can't represent"))),
        Js::Array(items) => *out += &json_array(place, items)?,
        Js::Json(text) => *out += text,
    }
    Ok(())
}

/// `{1,NULL,"a \"b\""}`
fn array(place: &dyn Display, items: &[Js<'_>], ty: &Type, separator: char) -> Result<String, Error> {
    let mut out = String::from("{");
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(separator);
        }
        match item {
            Js::Array(inner) if !ty.is_json() => out += &array(place, inner, ty, separator)?,
            item => match text(place, item, ty)? {
                Some(text) => quote(&mut out, &text),
                None => out += "NULL",
            },
        }
    }
    out.push('}');
    Ok(out)
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
}

/// Returns a Date in the server's form: for years after 9999 and before 1, ISO 8601 has a sign where SQL has more digits or BC.
fn date(iso: &str) -> Cow<'_, str> {
    let (sign, digits) = match iso.as_bytes().first() {
        Some(b'+' | b'-') => iso.split_at(1),
        _ => ("", iso),
    };
    let Some((year, rest)) = digits.split_once('-') else { return Cow::Borrowed(iso) };
    match (sign, year.parse::<u32>()) {
        ("-", Ok(year)) => Cow::Owned(format!("{:04}-{rest} BC", year + 1)),
        (_, Ok(0)) => Cow::Owned(format!("0001-{rest} BC")),
        ("+", Ok(year)) => Cow::Owned(format!("{year}-{rest}")),
        _ => Cow::Borrowed(iso),
    }
}

/// A parameter of a statement as text, which the server parses; None for NULL.
pub(super) type Parameter<'a> = Option<Cow<'a, str>>;

/// Refuses a number of values above the limit of the protocol.
///
/// Fails with `invalid-argument`.
pub(super) fn check_parameter_limit(values: usize) -> Result<(), Error> {
    if values > PARAMETERS {
        return Err(Error::invalid(format!("params has {values} values, the limit is {PARAMETERS}")));
    }
    Ok(())
}

/// Refuses a number of values that is not the number of the statement's parameters.
///
/// Fails with `invalid-argument`.
pub(super) fn check_parameter_count(values: usize, parameters: usize) -> Result<(), Error> {
    if values != parameters {
        let (values, parameters) = (quantity(values, "value"), quantity(parameters, "parameter"));
        return Err(Error::invalid(format!("params has {values}, the statement has {parameters}")));
    }
    Ok(())
}

/// Returns a count with its noun in the right number: `1 value`, `2 values`.
pub(super) fn quantity(count: usize, noun: &str) -> String {
    if count == 1 { format!("{count} {noun}") } else { format!("{count} {noun}s") }
}

/// The parameters of a statement.
pub(super) fn parameters<'a>(values: &'a [Js<'_>], types: &[Type]) -> Result<Vec<Parameter<'a>>, Error> {
    let text = |(at, (js, ty))| text(&format_args!("params[{at}]"), js, ty);
    values.iter().zip(types).enumerate().map(text).collect()
}

impl Js<'_> {
    /// Whether the text of the value depends on the type that the server needs.
    pub(super) fn depends_on_type(&self) -> bool {
        match self {
            Self::Null | Self::Boolean(_) | Self::Text(_) | Self::BigInt(_) | Self::Json(_) => false,
            Self::Number(text) => !text.parse::<f64>().is_ok_and(f64::is_finite),
            Self::Date(_) | Self::Bytes(_) | Self::Array(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use postgres_types::Type;

    use super::*;

    fn one<'a>(js: &'a Js<'_>, ty: &Type) -> Option<Cow<'a, str>> {
        text(&"params[0]", js, &ty.clone().into()).unwrap()
    }

    #[track_caller]
    fn goes(crossing: &str, ty: &Type, expected: Option<&str>) {
        let crossing = format!("[{crossing}]");
        let values = read("params", &crossing).unwrap();
        assert_eq!(one(&values[0], ty).as_deref(), expected, "{crossing} as {ty}");
    }

    #[test]
    fn every_kind_of_value_goes_as_the_server_reads_it() {
        goes("null", &Type::TEXT, None);
        goes("null", &Type::JSONB, None);
        goes("true", &Type::BOOL, Some("true"));
        goes(r#""a\"bé""#, &Type::TEXT, Some("a\"bé"));
        goes("1.5e300", &Type::NUMERIC, Some("1.5e300"));
        goes(r#"["number","-Infinity"]"#, &Type::FLOAT8, Some("-Infinity"));
        goes(r#"["bigint","-12"]"#, &Type::INT8, Some("-12"));
        goes(r#"["bytes","00ff"]"#, &Type::BYTEA, Some("\\x00ff"));
        goes(r#"["json",{"a": 1}]"#, &Type::TEXT, Some(r#"{"a": 1}"#));
    }

    #[test]
    fn dates_go_in_the_years_of_the_server() {
        let rows = [
            ("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"),
            ("+012345-01-02T03:04:05.678Z", "12345-01-02T03:04:05.678Z"),
            ("0000-02-29T00:00:00.000Z", "0001-02-29T00:00:00.000Z BC"),
            ("-000043-03-15T00:00:00.000Z", "0044-03-15T00:00:00.000Z BC"),
        ];
        for (iso, expected) in rows {
            goes(&format!(r#"["date","{iso}"]"#), &Type::TIMESTAMPTZ, Some(expected));
        }
    }

    #[test]
    fn arrays_go_as_arrays_or_as_json() {
        let nested = r#"["array",[["array",[1,null]],["array",["a\"\\",["bytes","00"]]]]]"#;
        goes(nested, &Type::TEXT_ARRAY, Some(r#"{{"1",NULL},{"a\"\\","\\x00"}}"#));
        goes(
            r#"["array",[["bigint","1"],true,["date","2026-01-02T03:04:05.678Z"],["number","NaN"]]]"#,
            &Type::JSONB,
            Some(r#"[1,true,"2026-01-02T03:04:05.678Z",null]"#),
        );
        goes(
            r#"["array",["a",["json",{"b":1}],["array",[1]]]]"#,
            &Type::JSONB_ARRAY,
            Some(r#"{"a","{\"b\":1}","[1]"}"#),
        );
        goes(r#"["array",["(1,1),(0,0)"]]"#, &Type::BOX_ARRAY, Some(r#"{"(1,1),(0,0)"}"#));
        goes(r#"["array",[1,"x"]]"#, &Type::TEXT, Some(r#"[1,"x"]"#));
        goes(r#"["array",[]]"#, &Type::INT4_ARRAY, Some("{}"));
    }

    #[test]
    fn a_text_for_json_is_the_json() {
        goes(r#""{\"a\":1}""#, &Type::JSON, Some(r#"{"a":1}"#));
        goes("1", &Type::JSON, Some("1"));
        goes(r#"["json",{"a":1}]"#, &Type::JSON, Some(r#"{"a":1}"#));
        let bytes = [Js::Array(vec![Js::Bytes("00".into())])];
        let refused = text(&"params[0]", &bytes[0], &Type::JSONB.into()).unwrap_err();
        assert_eq!(refused.message, "params[0] contains bytes, which JSON can't represent");
    }

    #[test]
    fn what_is_not_in_the_form_is_refused() {
        let refused = [
            "",
            "{}",
            "1",
            "[1",
            "[{}]",
            r#"[["bigint","1a"]]"#,
            r#"[["bigint","-"]]"#,
            r#"[["number","x"]]"#,
            r#"[["bytes","0"]]"#,
            r#"[["bytes","zz"]]"#,
            r#"[["text","a"]]"#,
            r#"[["json"]]"#,
            r#"[["json",1,2]]"#,
            r#"[["array",{}]]"#,
            r#"[["date",1]]"#,
        ];
        for text in refused {
            assert!(read("params", text).is_err(), "{text}");
        }
        let deep = format!("[{}1{}]", r#"["array",["#.repeat(70), "]]".repeat(70));
        assert!(read("params", &deep).is_err());
    }

    #[test]
    fn a_count_that_differs_from_the_places_is_refused() {
        assert_eq!(
            check_parameter_count(1, 2).unwrap_err().message,
            "params has 1 value, the statement has 2 parameters"
        );
        assert_eq!(check_parameter_limit(65_536).unwrap_err().message, "params has 65536 values, the limit is 65535");
        assert!(check_parameter_limit(65_535).is_ok());
    }

    #[test]
    fn a_value_that_is_the_same_for_every_type_is_told() {
        let crossing = r#"[null,true,"a",1.5,["number","-0"],["number","NaN"],["bigint","1"],["json",{}],["date","x"],["bytes",""],["array",[]]]"#;
        let values = read("params", crossing).unwrap();
        let types = [Type::TEXT, Type::JSONB, Type::INT4, Type::TEXT_ARRAY, Type::UNKNOWN];
        for value in &values {
            let texts: Vec<_> = types.iter().filter_map(|ty| text(&"x", value, &ty.clone().into()).ok()).collect();
            let is_same = texts.iter().all(|text| *text == texts[0]) && texts.len() == types.len();
            assert!(is_same || value.depends_on_type(), "{value:?}: {texts:?}");
        }
    }
}
