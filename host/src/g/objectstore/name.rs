//! Checks names that a script gives, before they become part of a URL or a header.

use crate::Error;

const BUCKET_BYTES: std::ops::RangeInclusive<usize> = 3..=63;
const MAX_KEY_BYTES: usize = 1024;
const MAX_HEADER_BYTES: usize = 255;
const MAX_REGION_BYTES: usize = 64;

/// Names with these ends are not those of buckets; the client would send their requests to other hosts.
const RESERVED: [&str; 3] = ["--x-s3", "--op-s3", ".mrap"];

/// Checks the name of a bucket. `what` is the parameter.
pub(super) fn bucket(what: &str, name: &str) -> Result<(), Error> {
    if !BUCKET_BYTES.contains(&name.len()) {
        let (least, most) = BUCKET_BYTES.into_inner();
        return Err(Error::invalid(format!("{what} is {} bytes, {least} to {most} are allowed", name.len())));
    }
    let allowed = |byte: u8| is_letter_or_digit(byte) || byte == b'-' || byte == b'.';
    if !has_alphanumeric_ends(name) || !name.bytes().all(allowed) || name.contains("..") {
        let rule = "lower-case letters, digits, `.` and `-`, with a letter or digit at both ends, and no `..`";
        return Err(Error::invalid(format!("{what} may only have {rule}")));
    }
    match RESERVED.iter().find(|end| name.ends_with(**end)) {
        Some(end) => Err(Error::invalid(format!("{what} ends with {end}, which is reserved"))),
        None => Ok(()),
    }
}

/// Checks the key of an object.
pub(super) fn key(what: &str, key: &str) -> Result<(), Error> {
    if !(1..=MAX_KEY_BYTES).contains(&key.len()) {
        return Err(Error::invalid(format!("{what} is {} bytes, 1 to {MAX_KEY_BYTES} are allowed", key.len())));
    }
    if key.contains('\0') {
        return Err(Error::invalid(format!("{what} contains a NUL character")));
    }
    // A server or a proxy that resolves such segments would reach another bucket.
    match key.split('/').find(|segment| matches!(*segment, "." | "..")) {
        Some(segment) => {
            Err(Error::invalid(format!("{what} has the segment `{segment}`, which servers resolve as a path")))
        }
        None => Ok(()),
    }
}

/// Checks the beginning of a key.
pub(super) fn prefix(prefix: &str) -> Result<(), Error> {
    if prefix.len() > MAX_KEY_BYTES {
        return Err(Error::invalid(format!("prefix is {} bytes, the limit is {MAX_KEY_BYTES}", prefix.len())));
    }
    if prefix.contains('\0') {
        return Err(Error::invalid("prefix contains a NUL character"));
    }
    Ok(())
}

/// Checks a media type.
pub(super) fn content_type(value: &str) -> Result<(), Error> {
    if !(1..=MAX_HEADER_BYTES).contains(&value.len()) {
        let bytes = value.len();
        return Err(Error::invalid(format!("contentType is {bytes} bytes, 1 to {MAX_HEADER_BYTES} are allowed")));
    }
    if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) || value.trim() != value {
        return Err(Error::invalid("contentType may only have printable ASCII characters, without spaces at its ends"));
    }
    Ok(())
}

/// Checks a region, which becomes part of a host name.
pub(super) fn region(name: &str) -> Result<(), Error> {
    if is_region(name) {
        return Ok(());
    }
    let rule = "lower-case letters, digits and `-`, with a letter or digit at both ends";
    Err(Error::invalid(format!("region may only have 1 to {MAX_REGION_BYTES} {rule}")))
}

/// Whether a text has the form of a region.
pub(super) fn is_region(name: &str) -> bool {
    let allowed = |byte: u8| is_letter_or_digit(byte) || byte == b'-';
    (1..=MAX_REGION_BYTES).contains(&name.len()) && has_alphanumeric_ends(name) && name.bytes().all(allowed)
}

/// Whether a text begins and ends with a letter or a digit.
fn has_alphanumeric_ends(name: &str) -> bool {
    let bytes = name.as_bytes();
    [bytes.first(), bytes.last()].into_iter().flatten().all(|byte| is_letter_or_digit(*byte))
}

fn is_letter_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_has_the_name_that_s3_allows() {
        for name in ["abc", "a-b", "a.b.c", "0ab", &"a".repeat(63)] {
            assert!(bucket("bucket", name).is_ok(), "{name}");
        }
        let long = "a".repeat(64);
        let bad = [
            "",
            "ab",
            &long,
            "Abc",
            "a_b",
            "a/b",
            "../a",
            "a..b",
            "-ab",
            "ab-",
            ".ab",
            "a%2fb",
            "a b",
            "a\0b",
            "a\nb",
            "äbc",
            "arn:aws:s3:::b",
            "ab--x-s3",
            "ab--op-s3",
            "ab.mrap",
            "a:b",
            "a@b",
            "a?b",
            "a#b",
        ];
        for name in bad {
            assert!(bucket("bucket", name).is_err(), "{name}");
        }
        assert_eq!(bucket("srcBucket", "").unwrap_err().message, "srcBucket is 0 bytes, 3 to 63 are allowed");
    }

    #[test]
    fn a_key_has_no_segment_that_is_resolved_as_a_path() {
        for name in ["a", "a/b", "/a", "a//b", "a/", "..a", "a..", "...", "%2e%2e/a", "a\u{1}b", "ä", " "] {
            assert!(key("key", name).is_ok(), "{name}");
        }
        for name in ["", "..", ".", "../a", "a/../b", "a/..", "a/./b", "a\0", &"k".repeat(1025)] {
            assert!(key("key", name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_content_type_and_a_region_with_other_characters_are_refused() {
        assert!(content_type("text/plain; charset=utf-8").is_ok());
        for value in ["", "a\r\nb: c", "ä", " a", "a\0"] {
            assert!(content_type(value).is_err(), "{value:?}");
        }
        assert!(region("eu-central-1").is_ok());
        for value in ["", "a.b", "a/b", "evil.com/", "EU", "-a", "a-", "-"] {
            assert!(region(value).is_err(), "{value:?}");
        }
    }
}
