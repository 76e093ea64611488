//! Validation of names and values, with the same messages in all namespaces.

use crate::Error;

/// Refuses a name that is empty, too long, or contains control characters.
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

/// Refuses a value that is longer than its limit.
pub(crate) fn within(what: &str, bytes: usize, limit: usize) -> Result<(), Error> {
    if bytes > limit { Err(Error::invalid(format!("{what} is {bytes} bytes, the limit is {limit}"))) } else { Ok(()) }
}

/// Returns a size for a message: in MiB if it is a number of them.
pub(crate) fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{bytes} bytes")
    }
}

/// How deep arrays and objects of stored JSON may be nested. Every reader of it, including search, supports this depth;
/// deeper values are refused when they enter the workspace.
pub(crate) const NESTING_LEVELS: usize = 1_000;

/// Refuses a text that is not JSON, or nested too deep.
pub(crate) fn check_json(what: &str, text: &str) -> Result<(), Error> {
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        return Err(Error::invalid(format!("{what} is not JSON")));
    }
    match nesting(text) {
        levels if levels > NESTING_LEVELS => {
            Err(Error::invalid(format!("{what} is nested {levels} levels deep, the limit is {NESTING_LEVELS}")))
        }
        _ => Ok(()),
    }
}

/// Returns how deep arrays and objects are nested: 0 for `1`, 1 for `[]`. It does not recurse.
pub(crate) fn nesting(json: &str) -> usize {
    let (mut levels, mut deepest) = (0_usize, 0);
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                levels += 1;
                deepest = deepest.max(levels);
            }
            b']' | b'}' => levels = levels.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    deepest
}

/// Skips the rest of a string of JSON, and its closing quote.
pub(crate) fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_counts_arrays_and_objects_outside_of_strings() {
        let cases = [
            ("1", 0),
            ("[]", 1),
            (r#"{"a":[{}],"b":[]}"#, 3),
            (r#"["[[[\"[[{",[]]"#, 2),
            (r#"{"\\":"\\\"{","a":1}"#, 1),
        ];
        for (json, levels) in cases {
            assert_eq!(nesting(json), levels, "{json}");
            assert!(check_json("data", json).is_ok(), "{json}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_refused_however_deep_it_is() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(check_json("data", &nested(NESTING_LEVELS)).is_ok());
        for levels in [NESTING_LEVELS + 1, 1_000_000] {
            let refused = check_json("data", &nested(levels)).unwrap_err();
            assert_eq!(refused.message, format!("data is nested {levels} levels deep, the limit is 1000"));
        }
    }
}
