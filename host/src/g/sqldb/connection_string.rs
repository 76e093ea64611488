//! Connection strings as libpq reads them: a URI, or pairs of a key and a value. What they mean stands next door.
//!
//! No error shows a part of the string.

use percent_encoding::percent_decode_str;

use crate::{Error, ErrorCode};

/// An option: its name and its value.
pub(super) type Pair = (String, String);

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Whether a text is meant as a connection string for PostgreSQL.
pub(super) fn is_postgres_connection_string(text: &str) -> bool {
    let named = |key: &str| pairs_of_words(text).is_ok_and(|pairs| pairs.iter().any(|(name, _)| name == key));
    is_uri(text) || named("host") || named("hostaddr")
}

/// The options of a connection string, in its order.
///
/// Fails with `secret-invalid` when it is none.
pub(super) fn read(text: &str) -> Result<Vec<Pair>, Error> {
    if is_uri(text) { pairs_of_uri(text) } else { pairs_of_words(text) }
}

pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::SecretInvalid, message)
}

fn is_uri(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// `postgres://user:password@host:1,other:2/database?option=value`
fn pairs_of_uri(text: &str) -> Result<Vec<Pair>, Error> {
    let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    // Up to the first slash, as libpq has it: a slash in a password must be percent-encoded.
    let (authority, database) = place.split_once('/').unwrap_or((place, ""));
    let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = user.split_once(':').map_or((user, None), |(user, password)| (user, Some(password)));
    let (hosts, ports) = hosts_and_ports(hosts)?;

    let mut pairs = Vec::new();
    let mut add = |name: &str, value: &str| -> Result<(), Error> {
        if !value.is_empty() {
            pairs.push((name.to_owned(), decode(value)?));
        }
        Ok(())
    };
    add("user", user)?;
    add("password", password.unwrap_or_default())?;
    add("host", &hosts)?;
    add("port", &ports)?;
    add("dbname", database)?;
    for option in query.split('&').filter(|option| !option.is_empty()) {
        let Some((name, value)) = option.split_once('=') else {
            return Err(invalid("an option of the connection string has no value"));
        };
        pairs.push(match (name, value) {
            // What JDBC writes, and libpq takes.
            ("ssl", "true") => ("sslmode".to_owned(), "require".to_owned()),
            _ => (decode(name)?, decode(value)?),
        });
    }
    Ok(pairs)
}

/// The hosts and the ports, each with commas between them.
fn hosts_and_ports(text: &str) -> Result<(String, String), Error> {
    let (mut hosts, mut ports) = (Vec::new(), Vec::new());
    for one in text.split(',') {
        let (host, rest) = match one.strip_prefix('[') {
            Some(address) => address.split_once(']').ok_or_else(|| invalid("an IPv6 address has no closing `]`"))?,
            None => one.split_at(one.find(':').unwrap_or(one.len())),
        };
        let port = match rest.strip_prefix(':') {
            Some(port) => port,
            None if rest.is_empty() => "",
            None => return Err(invalid("the `]` of an IPv6 address is followed by something that is not a port")),
        };
        hosts.push(host);
        ports.push(port);
    }
    let no_ports = ports.iter().all(|port| port.is_empty());
    Ok((hosts.join(","), if no_ports { String::new() } else { ports.join(",") }))
}

fn decode(text: &str) -> Result<String, Error> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let whole = (0..bytes.len()).all(|at| bytes[at] != b'%' || (is_digit(at + 1) && is_digit(at + 2)));
    let decoded = percent_decode_str(text).decode_utf8().ok().filter(|_| whole);
    let decoded = decoded.ok_or_else(|| invalid("a part of the connection string is not percent-encoded UTF-8"))?;
    if decoded.contains('\0') { Err(invalid("the connection string contains %00")) } else { Ok(decoded.into_owned()) }
}

/// `host=localhost password='it''s \'quoted\''`
fn pairs_of_words(text: &str) -> Result<Vec<Pair>, Error> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Some((name, value)) = rest.split_once('=') else {
            return Err(invalid("the connection string is neither a postgres:// URI nor pairs of key=value"));
        };
        let name = name.trim_end();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(invalid("an option of the connection string has no name or no value"));
        }
        let (value, end) = word(value.trim_start())?;
        pairs.push((name.to_owned(), value));
        rest = end.trim_start();
    }
    Ok(pairs)
}

/// A value, in quotes or not, and what comes after it.
fn word(text: &str) -> Result<(String, &str), Error> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut characters = text.char_indices().skip(usize::from(quoted));
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            space if !quoted && space.is_whitespace() => return Ok((value, &text[at..])),
            other => value.push(other),
        }
    }
    if quoted { Err(invalid("a quoted value of the connection string is not closed")) } else { Ok((value, "")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, expected: &[(&str, &str)]) {
        let pairs = read(text).unwrap();
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, expected, "{text}");
    }

    #[test]
    fn uris_are_read_as_libpq_reads_them() {
        reads("postgres://", &[]);
        reads("postgresql://localhost", &[("host", "localhost")]);
        reads("postgres://u@h/d", &[("user", "u"), ("host", "h"), ("dbname", "d")]);
        reads(
            "postgres://u:p%40%3a%2F@h:5433",
            &[("user", "u"), ("password", "p@:/"), ("host", "h"), ("port", "5433")],
        );
        reads("postgres://u:a@b@h", &[("user", "u"), ("password", "a@b"), ("host", "h")]);
        reads("postgres://u:a:b@h", &[("user", "u"), ("password", "a:b"), ("host", "h")]);
        reads("postgres://a:1,b,[::1]:3/", &[("host", "a,b,::1"), ("port", "1,,3")]);
        reads("postgres://a,b", &[("host", "a,b")]);
        reads("postgres://%2Fvar%2Frun/d", &[("host", "/var/run"), ("dbname", "d")]);
        reads("postgres:///d?host=h&sslmode=disable&", &[("dbname", "d"), ("host", "h"), ("sslmode", "disable")]);
        reads(
            "postgres://h?ssl=true&options=-c%20a%3D1",
            &[("host", "h"), ("sslmode", "require"), ("options", "-c a=1")],
        );
    }

    #[test]
    fn pairs_are_read_as_libpq_reads_them() {
        reads("host=h port = 5433\tuser= u", &[("host", "h"), ("port", "5433"), ("user", "u")]);
        reads(
            r"password='it\'s = \\ a' user=u\ v dbname=''",
            &[("password", r"it's = \ a"), ("user", "u v"), ("dbname", "")],
        );
        reads("host=h  ", &[("host", "h")]);
    }

    #[test]
    fn what_is_no_connection_string_is_refused_and_not_shown() {
        let refused = [
            "canary",
            "host=h canary",
            "=canary",
            "password='canary",
            "postgres://canary%zz@h",
            "postgres://h?canary",
            "postgres://[canary",
            "postgres://[::1]canary",
            "postgres://u:%00canary@h",
            "postgres://u:%ffcanary@h",
        ];
        for text in refused {
            let error = read(text).unwrap_err();
            assert_eq!(error.code, ErrorCode::SecretInvalid);
            assert!(!error.message.contains("canary"), "{error}");
        }
    }

    #[test]
    fn a_connection_string_is_told_from_other_secrets() {
        for text in ["postgres://", "postgresql://u@h/d", "host=h user=u", "user='x y' hostaddr=::1"] {
            assert!(is_postgres_connection_string(text), "{text}");
        }
        for text in ["", "s3://key:secret@host", "mongodb://h", r#"{"url":"https://host=x"}"#, "password", "user=u"] {
            assert!(!is_postgres_connection_string(text), "{text}");
        }
    }
}
