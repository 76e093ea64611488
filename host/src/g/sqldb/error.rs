//! Converts errors of the client and the server to errors for the script.
//!
//! Messages of the server before the login are not shown: they repeat names of the connection string.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    statement::Text,
    wire::{self, ErrorResponse},
};
use crate::{
    Error, ErrorCode,
    gate::error::{broken, protocol, unknown_outcome, unreachable},
};

/// Why there is no connection.
pub(super) fn of_connecting(error: wire::Error) -> Error {
    let (code, message) = match &error {
        wire::Error::Server(answer) => refused_login(&answer.code),
        wire::Error::Io(error) => return unreachable(error, AUTHORITY),
        wire::Error::NoPassword => {
            (ErrorCode::SecretInvalid, "the server requires a password, but the secret has none".into())
        }
        wire::Error::WrongSessionAttrs => {
            (ErrorCode::Unavailable, "the server does not match target_session_attrs".into())
        }
        wire::Error::Unsupported(what) => (ErrorCode::Unavailable, (*what).into()),
        wire::Error::Protocol(what) => (ErrorCode::Unavailable, not_understood(what).into()),
        wire::Error::Limit(error) => (error.code, error.message.clone().into()),
    };
    let details = error.sqlstate().map(|state| json!({ "sqlstate": state }));
    Error::new(code, message).detailed(details)
}

fn refused_login(sqlstate: &str) -> (ErrorCode, Cow<'static, str>) {
    let (code, message) = match sqlstate {
        "28P01" => (ErrorCode::AccessDenied, "the server refused the user or the password of the secret"),
        "28000" => (
            ErrorCode::AccessDenied,
            "the server does not allow this connection: the user, the client's host, or a connection without TLS",
        ),
        "42501" => (ErrorCode::AccessDenied, "the user of the secret may not connect to its database"),
        "3D000" => (ErrorCode::NotFound, "the database of the secret does not exist"),
        "53300" => (ErrorCode::Unavailable, "the server has no connection left"),
        "57P03" => (ErrorCode::Unavailable, "the server is starting up or shutting down"),
        code if code.starts_with("22") || code.starts_with("42") => {
            (ErrorCode::SecretInvalid, "the server refused the options of the secret")
        }
        _ => (ErrorCode::Unavailable, "the server refused the connection"),
    };
    (code, message.into())
}

/// How a connection string names the authority of a server.
const AUTHORITY: &str = "the file that sslrootcert=FILE names";

fn not_understood(what: &str) -> String {
    format!("protocol error: {what}; it may not be a PostgreSQL server")
}

/// Whether the server accepts no further connection, at all or of this user.
pub(super) fn is_full(error: &Error) -> bool {
    error.details.as_ref().is_some_and(|details| details["sqlstate"] == "53300")
}

/// Why a request failed. `text` is the script's statement, when the request is about one; `is_unknown` says whether it may
/// have been carried out if the connection broke.
pub(super) fn of_request(error: wire::Error, text: Option<&Text<'_>>, is_unknown: bool) -> Error {
    let (error, is_broken) = match error {
        wire::Error::Server(answer) => (of_answer(&answer, text), answer.is_fatal()),
        wire::Error::Limit(error) => (error, false),
        wire::Error::Protocol(what) => (protocol(&what), true),
        wire::Error::Io(_) | wire::Error::NoPassword | wire::Error::Unsupported(_) | wire::Error::WrongSessionAttrs => {
            (broken(), true)
        }
    };
    if is_unknown && is_broken { unknown_outcome(error) } else { error }
}

fn of_answer(answer: &ErrorResponse, text: Option<&Text<'_>>) -> Error {
    let code = if answer.is_fatal() { ErrorCode::Unavailable } else { code(&answer.code) };
    let several = code == ErrorCode::QuerySyntax && text.is_some_and(|text| text.has_multiple_statements);
    let message = match several {
        true => "only one statement is allowed in a string; use executeBatch for several",
        false => &answer.message,
    };
    let position = if several { None } else { position(answer, text) };
    Error::new(code, message).detailed(Some(details(answer, position).into()))
}

/// By the SQLSTATE alone: messages are in the language of the server.
fn code(sqlstate: &str) -> ErrorCode {
    match sqlstate {
        "42601" | "42602" | "42622" => ErrorCode::QuerySyntax,
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

fn details(answer: &ErrorResponse, position: Option<usize>) -> Map<String, Value> {
    let texts = [
        ("sqlstate", Some(&answer.code)),
        ("message", Some(&answer.message)),
        ("detail", answer.detail.as_ref()),
        ("hint", answer.hint.as_ref()),
        ("where", answer.context.as_ref()),
        ("schema", answer.schema.as_ref()),
        ("table", answer.table.as_ref()),
        ("column", answer.column.as_ref()),
        ("dataType", answer.data_type.as_ref()),
        ("constraint", answer.constraint.as_ref()),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?.as_str()))));
    let position = position.map(|position| ("position".to_owned(), position.into()));
    texts.chain(position).collect()
}

/// Where in the statement, as JavaScript counts; the server counts characters from 1.
fn position(answer: &ErrorResponse, text: Option<&Text<'_>>) -> Option<usize> {
    let before = answer.position?.checked_sub(1)?;
    Some(text?.sql.chars().take(before).map(char::len_utf16).sum())
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
            ("42P10", ErrorCode::Backend),
        ];
        for (state, expected) in rows {
            assert_eq!(code(state), expected, "{state}");
        }
    }
}
