//! Formats values of a script for messages: short, with control characters escaped.

use std::fmt::Display;

use javy::quickjs::{Coerced, Value};

/// The maximum length of a value in a message, in characters.
pub const MAX_CHARACTERS: usize = 60;

/// Returns the type of a value, with its article.
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
        _ if value.is_promise() => "a Promise: await it",
        _ => "an object",
    }
}

/// Formats a string in quotes, a number as JavaScript prints it, and the type of any other value.
pub fn value(value: &Value<'_>) -> String {
    if let Some(string) = value.as_string() {
        return text(string.to_string().unwrap_or_else(|_| "\u{fffd}".to_owned()));
    }
    match value.is_number().then(|| value.get::<Coerced<String>>()) {
        Some(Ok(number)) => number.0,
        _ => kind(value).to_owned(),
    }
}

/// Formats a text in quotes, cut, with control characters escaped.
pub fn text(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let mut shown: String = text.chars().take(MAX_CHARACTERS).collect();
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Joins words with commas.
pub fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
