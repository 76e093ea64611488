//! The input of a script as its client wrote it. rmcp keeps arguments as a `serde_json::Value`, which sorts their members.

use hyper::http::request::Parts;
use rmcp::model::Extensions;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The argument `input` of `run_script`, as JSON.
#[derive(Clone)]
pub(super) struct Input(pub(super) String);

#[derive(Deserialize)]
struct Message<'m> {
    #[serde(borrow)]
    params: Parameters<'m>,
}

#[derive(Deserialize)]
struct Parameters<'m> {
    #[serde(borrow)]
    arguments: Arguments<'m>,
}

#[derive(Deserialize)]
struct Arguments<'m> {
    #[serde(borrow, default, deserialize_with = "present")]
    input: Option<&'m RawValue>,
}

/// Reads a value that may be `null`.
fn present<'de, D: Deserializer<'de>>(given: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(given).map(Some)
}

impl Input {
    /// The input in a message, if it has one.
    pub(super) fn of(message: &[u8]) -> Option<Self> {
        let message: Message<'_> = serde_json::from_slice(message).ok()?;
        message.params.arguments.input.map(|input| Self(input.get().to_owned()))
    }

    /// The input that a transport has attached to a request: to itself, or to its HTTP request.
    pub(super) fn attached(request: &Extensions) -> Option<Self> {
        let of_http = || request.get::<Parts>().and_then(|parts| parts.extensions.get());
        request.get().or_else(of_http).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_keeps_its_order_and_its_numbers() {
        let of = |arguments: &str| {
            let message = format!(r#"{{"id":1,"params":{{"name":"run_script","arguments":{arguments}}}}}"#);
            Input::of(message.as_bytes()).map(|input| input.0)
        };
        assert_eq!(of(r#"{"source":"","input":{"b":1.50,"a":[]}}"#).as_deref(), Some(r#"{"b":1.50,"a":[]}"#));
        assert_eq!(of(r#"{"input":null}"#).as_deref(), Some("null"));
        assert_eq!(of("{}"), None);
        assert!(Input::of(b"{").is_none() && Input::of(b"[]").is_none());
    }
}
