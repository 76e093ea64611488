//! The script's values in messages: short, and nothing in them that a terminal obeys.

use std::fmt::Display;

use javy::quickjs::{Coerced, Value};

/// The longest text of a value in a message, in characters.
pub const LONGEST: usize = 60;

/// What kind of value it is, with its article.
pub fn kind(value: &Value<'_>) -> &'static str {
    match value {
        _ if value.is_undefined() => "undefined",
        _ if value.is_null() => "null",
        _ if value.is_bool() => "a boolean",
        _ if value.is_number() => "a number",
        _ if value.is_string() => "a string",
        _ if value.is_big_int() => "a BigInt",
        _ if value.is_symbol() => "a symbol",
        _ if value.is_function() => "a function",
        _ if value.is_array() => "an array",
        _ => "an object",
    }
}

/// A string in quotes or a number as JavaScript prints it; of all else the kind.
pub fn value(value: &Value<'_>) -> String {
    if let Some(string) = value.as_string() {
        return text(string.to_string().unwrap_or_else(|_| "\u{fffd}".to_owned()));
    }
    match value.is_number().then(|| value.get::<Coerced<String>>()) {
        Some(Ok(number)) => number.0,
        _ => kind(value).to_owned(),
    }
}

/// A text in quotes, cut, its control characters escaped.
pub fn text(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let mut shown: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Words with commas between them.
pub fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
