//! What a failure of the client or the server is for a script.
//!
//! What a server says while a connection is made is not shown: it repeats the names in the connection string.

use std::{error::Error as StdError, io};

use serde_json::{Map, Value, json};
use tokio_postgres::error::{DbError, ErrorPosition, SqlState};

use super::words;
use crate::{Error, ErrorCode};

type ClientError = tokio_postgres::Error;

/// Why there is no connection.
pub(super) fn of_connecting(error: ClientError) -> Error {
    let (code, message) = match error.as_db_error() {
        Some(refusal) => refused_login(refusal.code()),
        None => unreachable(&error),
    };
    let details = error.code().map(|code| json!({ "sqlstate": code.code() }));
    Error::new(code, message).detailed(details)
}

fn refused_login(code: &SqlState) -> (ErrorCode, &'static str) {
    match code.code() {
        "28P01" => (ErrorCode::AccessDenied, "the server refused the user or the password of the secret"),
        "28000" => {
            (ErrorCode::AccessDenied, "the server lets no such connection in: not this user, this host or without TLS")
        }
        "42501" => (ErrorCode::AccessDenied, "the user of the secret may not connect to its database"),
        "3D000" => (ErrorCode::NotFound, "the database of the secret does not exist"),
        "53300" => (ErrorCode::Unavailable, "the server has no connection left"),
        "57P03" => (ErrorCode::Unavailable, "the server is starting up or shutting down"),
        code if code.starts_with("22") || code.starts_with("42") => {
            (ErrorCode::SecretInvalid, "the server refused the options of the secret")
        }
        _ => (ErrorCode::Unavailable, "the server refused the connection"),
    }
}

fn unreachable(error: &ClientError) -> (ErrorCode, &'static str) {
    let tls = causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>());
    if let Some(tls) = tls {
        return (ErrorCode::Unavailable, failed_tls(tls));
    }
    let kind = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    let message = match kind {
        Some(io::ErrorKind::ConnectionRefused) => "the host refused the connection",
        Some(io::ErrorKind::TimedOut) => "the host did not answer in time",
        Some(io::ErrorKind::PermissionDenied) => "the server is not as target_session_attrs asks for",
        Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            "the connection ended before it was made"
        }
        Some(io::ErrorKind::NotFound) => "nothing listens where the secret leads",
        Some(_) => "the host can't be reached",
        None if lacks_password(error) => {
            return (ErrorCode::SecretInvalid, "the server asks for a password, the secret has none");
        }
        // The client has no other sign for what it did not understand.
        None => "the server can't be talked to: no TLS, a way to log in that is not known, or it is no PostgreSQL",
    };
    (ErrorCode::Unavailable, message)
}

/// The client has a text for it and no other sign.
fn lacks_password(error: &ClientError) -> bool {
    causes(error).any(|cause| cause.to_string() == "password missing")
}

fn failed_tls(error: &rustls::Error) -> &'static str {
    use rustls::CertificateError::{Expired, ExpiredContext, NotValidForName, NotValidForNameContext, UnknownIssuer};
    match error {
        rustls::Error::InvalidCertificate(UnknownIssuer) => {
            "the server's certificate is of no authority that is trusted: one of the system's, or in the file that \
             sslrootcert=FILE names"
        }
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            "the server's certificate is for another host"
        }
        rustls::Error::InvalidCertificate(Expired | ExpiredContext { .. }) => "the server's certificate has expired",
        rustls::Error::InvalidCertificate(_) => "the server's certificate is not valid",
        _ => "TLS failed: the other side does not speak it as it should",
    }
}

/// Whether the server has no place for one more connection, of all or of the user's.
pub(super) fn is_full(error: &Error) -> bool {
    error.details.as_ref().is_some_and(|details| details["sqlstate"] == "53300")
}

/// What led to an error, through the errors that hide theirs.
fn causes(error: &ClientError) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    fn next<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
        match error.downcast_ref::<io::Error>() {
            Some(io) => io.get_ref().map(|inner| inner as _),
            None => error.source(),
        }
    }
    std::iter::successors(error.source(), |error| next(*error))
}

/// Whether the server said so, and the connection is as good as before.
pub(super) fn is_answer(error: &ClientError) -> bool {
    error.as_db_error().is_some_and(|answer| answer.severity() == "ERROR")
}

/// Whether a prepared statement is not what it was: its tables changed, or somebody deallocated it.
pub(super) fn is_stale(error: &ClientError) -> bool {
    matches!(error.code().map(SqlState::code), Some("26000" | "0A000"))
}

/// Why a statement failed. `may_have_happened` says whether it may have been carried out if the connection broke.
pub(super) fn of_statement(error: &ClientError, sql: Option<&str>, may_have_happened: bool) -> Error {
    match error.as_db_error() {
        Some(answer) => of_answer(answer, sql),
        None => broken(may_have_happened),
    }
}

/// The connection broke.
fn broken(may_have_happened: bool) -> Error {
    let details = may_have_happened.then(|| json!({ "unknownOutcome": true }));
    Error::new(ErrorCode::Unavailable, "the connection to the server broke").detailed(details)
}

fn of_answer(answer: &DbError, sql: Option<&str>) -> Error {
    let code = code(answer.code().code());
    let several = code == ErrorCode::QuerySyntax && sql.is_some_and(words::is_several);
    let message = match several {
        true => "several statements in one string: one is allowed, executeBatch takes several",
        false => answer.message(),
    };
    let position = if several { None } else { position(answer, sql) };
    Error::new(code, message).detailed(Some(details(answer, position)))
}

/// By the SQLSTATE alone: messages are in the language of the server.
fn code(sqlstate: &str) -> ErrorCode {
    match sqlstate {
        "42601" | "42P10" | "42602" | "42622" => ErrorCode::QuerySyntax,
        // Table, schema, database, type, column.
        "42P01" | "3F000" | "3D000" | "42704" | "42703" => ErrorCode::NotFound,
        // Unique, exclusion; table, object, schema, database, column, function; serialization.
        "23505" | "23P01" | "42P07" | "42710" | "42P06" | "42P04" | "42701" | "42723" | "40001" => ErrorCode::Conflict,
        "42501" => ErrorCode::AccessDenied,
        "57P01" | "57P02" | "57P03" | "57P05" | "53300" => ErrorCode::Unavailable,
        class if class.starts_with("28") => ErrorCode::AccessDenied,
        class if class.starts_with("08") => ErrorCode::Unavailable,
        _ => ErrorCode::Backend,
    }
}

fn details(answer: &DbError, position: Option<usize>) -> Value {
    let texts = [
        ("sqlstate", Some(answer.code().code())),
        ("message", Some(answer.message())),
        ("detail", answer.detail()),
        ("hint", answer.hint()),
        ("where", answer.where_()),
        ("schema", answer.schema()),
        ("table", answer.table()),
        ("column", answer.column()),
        ("dataType", answer.datatype()),
        ("constraint", answer.constraint()),
    ];
    let mut details = Map::new();
    for (name, text) in texts {
        if let Some(text) = text {
            details.insert(name.to_owned(), text.into());
        }
    }
    if let Some(position) = position {
        details.insert("position".to_owned(), position.into());
    }
    details.into()
}

/// Where in the statement, as JavaScript counts; the server counts characters from 1.
fn position(answer: &DbError, sql: Option<&str>) -> Option<usize> {
    let ErrorPosition::Original(position) = answer.position()? else { return None };
    let before = usize::try_from(*position).ok()?.checked_sub(1)?;
    Some(sql?.chars().take(before).map(char::len_utf16).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_the_server_have_their_codes() {
        let rows = [
            ("42601", ErrorCode::QuerySyntax),
            ("42P01", ErrorCode::NotFound),
            ("23505", ErrorCode::Conflict),
            ("28P01", ErrorCode::AccessDenied),
            ("08006", ErrorCode::Unavailable),
            ("57014", ErrorCode::Backend),
            ("22012", ErrorCode::Backend),
        ];
        for (state, expected) in rows {
            assert_eq!(code(state), expected, "{state}");
        }
    }
}
