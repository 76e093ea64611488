//! What names and values may be, in the words that all namespaces have for it.

use crate::Error;

/// A name is not empty, not too long, and has no control characters.
pub(crate) fn check_name(what: &str, name: &str, limit: usize) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::invalid(format!("{what} must not be empty")));
    }
    within(what, name.len(), limit)?;
    match name.char_indices().find(|(_, character)| character.is_control()) {
        Some((at, _)) => Err(Error::invalid(format!("{what} contains a control character at byte {at}"))),
        None => Ok(()),
    }
}

/// A value is no longer than its limit.
pub(crate) fn within(what: &str, bytes: usize, limit: usize) -> Result<(), Error> {
    if bytes > limit { Err(Error::invalid(format!("{what} is {bytes} bytes, the limit is {limit}"))) } else { Ok(()) }
}

/// A text is JSON, of any depth.
pub(crate) fn check_json(what: &str, text: &str) -> Result<(), Error> {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::invalid(format!("{what} is not JSON"))),
    }
}
