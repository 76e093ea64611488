//! Converts errors of the driver and the server to errors for the script.
//!
//! The messages about a failed login, or about a server that was not found, are not shown: they repeat hosts and names
//! of the secret.

use mongodb::{
    bson::{Bson, Document},
    error::{ErrorKind, WriteFailure},
};
use serde_json::{Map, Value, json};

use super::text;
use crate::{
    Error, ErrorCode,
    gate::error::{broken, protocol, unknown_outcome, unreachable},
};

/// How a URI names the authority of a server.
const AUTHORITY: &str = "the file that tlsCAFile names";

/// Whether a request can change something on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Converts the driver's error of a request. `failure` is the error of the driver's last attempt to reach a server.
pub(super) fn of_request(
    error: &mongodb::error::Error,
    failure: Option<&mongodb::error::Error>,
    access: Access,
) -> Error {
    // If the answer did not arrive, the server may still have executed the request.
    let lost = |error| if access == Access::Write { unknown_outcome(error) } else { error };
    let response = error.server_response().and_then(|raw| Document::try_from(raw.as_ref()).ok());
    let response = response.as_ref();
    match &*error.kind {
        ErrorKind::Authentication { .. } => match error_source(error) {
            Some(source) if matches!(&*source.kind, ErrorKind::Io(_)) => unreached(source),
            _ => denied(),
        },
        ErrorKind::Command(command) => of_code(command.code, &command.code_name, &command.message, response, access),
        ErrorKind::Write(WriteFailure::WriteError(failed)) => {
            of_code(failed.code, failed.code_name.as_deref().unwrap_or_default(), &failed.message, response, access)
        }
        ErrorKind::Write(WriteFailure::WriteConcernError(failed)) => unacknowledged(failed.code, &failed.message),
        // A pool is cleared while requests wait for their answers.
        ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. } | ErrorKind::Shutdown => lost(broken()),
        ErrorKind::ServerSelection { .. } => failure.map_or_else(no_server, unreached),
        ErrorKind::DnsResolve { .. } => unavailable(
            "the name server has no records for the host of the secret (mongodb+srv:// requires SRV records)",
        ),
        ErrorKind::InvalidTlsConfig { .. } => invalid_certificates(),
        // The driver's text for an answer that is too long for it.
        ErrorKind::InvalidResponse { message, .. } if message.contains(" over maximum ") => Error::new(
            ErrorCode::Limit,
            "one answer of the server is longer than the 48000000 bytes that a message may have",
        ),
        ErrorKind::InvalidResponse { .. } | ErrorKind::Bson(_) => lost(protocol("the server's answer is malformed")),
        ErrorKind::InvalidArgument { message, .. } => Error::invalid(message.clone()),
        ErrorKind::IncompatibleServer { .. } => too_old(),
        ErrorKind::SessionsNotSupported => Error::new(ErrorCode::Backend, "the server does not support sessions"),
        _ => Error::internal(error.clone()),
    }
}

fn error_source(error: &mongodb::error::Error) -> Option<&mongodb::error::Error> {
    std::error::Error::source(error).and_then(|source| source.downcast_ref())
}

fn denied() -> Error {
    Error::new(ErrorCode::AccessDenied, "the server refused the user or the password of the secret")
}

fn invalid_certificates() -> Error {
    Error::new(ErrorCode::SecretInvalid, "the certificates that the secret names can't be used")
}

fn too_old() -> Error {
    unavailable("the server is too old, or not a MongoDB server: MongoDB 4.4 or newer is required")
}

fn no_server() -> Error {
    unavailable(
        "no server of the secret answered in time: check its host, its port and tls; or there is no primary at the moment",
    )
}

fn unavailable(message: &str) -> Error {
    Error::new(ErrorCode::Unavailable, message)
}

/// The I/O errors of a connection that the server has closed.
const ENDED: [std::io::ErrorKind; 3] =
    [std::io::ErrorKind::UnexpectedEof, std::io::ErrorKind::ConnectionReset, std::io::ErrorKind::BrokenPipe];

/// Converts the error of an attempt to reach a server.
fn unreached(failure: &mongodb::error::Error) -> Error {
    match &*failure.kind {
        ErrorKind::Io(error) if ENDED.contains(&error.kind()) => unavailable(
            "the server closed the connection during the login; it may require TLS (tls=true), or not be a MongoDB server",
        ),
        ErrorKind::Io(error) => unreachable(error, AUTHORITY),
        ErrorKind::IncompatibleServer { .. } => too_old(),
        ErrorKind::InvalidTlsConfig { .. } => invalid_certificates(),
        ErrorKind::DnsResolve { .. } => unavailable("the host can't be reached"),
        ErrorKind::Authentication { .. } => denied(),
        _ => protocol("the server's answer is malformed; it may not be a MongoDB server"),
    }
}

fn unacknowledged(code: i32, message: &str) -> Error {
    let message = format!("the write was not acknowledged as the secret's w and wTimeoutMS require: {message}");
    unknown_outcome(Error::new(ErrorCode::Backend, message).with_detail("code", code))
}

/// Returns the error for an error code of the server.
pub(super) fn of_code(code: i32, name: &str, message: &str, response: Option<&Document>, access: Access) -> Error {
    if code == 18 {
        return denied().with_detail("code", code);
    }
    let kind = kind(code);
    let shown = match code {
        59 | 115 | 238 | 303 => format!("the server does not implement this: {message}"),
        _ => message.to_owned(),
    };
    let mut details = Map::new();
    details.insert("code".to_owned(), code.into());
    if !name.is_empty() {
        details.insert("codeName".to_owned(), name.into());
    }
    details.insert("message".to_owned(), message.into());
    if code_is_duplicate(code) {
        details.extend(response.map(key_of).unwrap_or_default());
    }
    let error = Error::new(kind, shown).detailed(Some(details.into()));
    // A server that steps down, shuts down or reaches the time limit may have begun to execute the request.
    let may_have_begun = matches!(kind, ErrorCode::Unavailable | ErrorCode::Timeout);
    if may_have_begun && access == Access::Write { unknown_outcome(error) } else { error }
}

fn code_is_duplicate(code: i32) -> bool {
    matches!(code, 11000 | 11001 | 12582)
}

fn kind(code: i32) -> ErrorCode {
    match code {
        // Unauthorized, AuthenticationFailed, and codes of other products.
        13 | 18 | 8000 | 33 => ErrorCode::AccessDenied,
        // NamespaceNotFound, IndexNotFound.
        26 | 27 => ErrorCode::NotFound,
        // NamespaceExists, IndexAlreadyExists, IndexOptionsConflict, IndexKeySpecsConflict, WriteConflict.
        48 | 68 | 85 | 86 | 112 => ErrorCode::Conflict,
        code if code_is_duplicate(code) => ErrorCode::Conflict,
        // MaxTimeMSExpired, ExceededTimeLimit.
        50 | 262 => ErrorCode::Timeout,
        // Shutdown and changes of the primary.
        91 | 189 | 10058 | 10107 | 11600 | 11602 | 13435 | 13436 => ErrorCode::Unavailable,
        _ => ErrorCode::Backend,
    }
}

/// Returns the duplicate key, from the first error of an answer.
fn key_of(response: &Document) -> Map<String, Value> {
    let source = first_error(response).unwrap_or(response);
    let members = ["keyPattern", "keyValue"].into_iter();
    members.filter_map(|name| Some((name.to_owned(), text::json(source.get(name)?)))).collect()
}

fn first_error(answer: &Document) -> Option<&Document> {
    answer.get_array("writeErrors").ok()?.first()?.as_document()
}

/// Returns the first error in the answer to a command of several writes, with the index of the failed write.
pub(super) fn of_answer(answer: &Document) -> Option<(usize, Error)> {
    if let Some(first) = first_error(answer) {
        let code = first.get("code").and_then(whole).unwrap_or_default();
        let (name, message) =
            (first.get_str("codeName").unwrap_or_default(), first.get_str("errmsg").unwrap_or_default());
        let index = first.get("index").and_then(whole).unwrap_or_default();
        let code = i32::try_from(code).unwrap_or_default();
        let error = of_code(code, name, message, Some(answer), Access::Write);
        return Some((usize::try_from(index).unwrap_or_default(), error));
    }
    let failed = answer.get_document("writeConcernError").ok()?;
    let code = failed.get("code").and_then(whole).and_then(|code| i32::try_from(code).ok()).unwrap_or_default();
    Some((0, unacknowledged(code, failed.get_str("errmsg").unwrap_or_default())))
}

/// Whether a server refused a command because it does not know this member of it.
pub(super) fn rejects_option(error: &mongodb::error::Error, member: &str) -> bool {
    matches!(&*error.kind, ErrorKind::Command(command) if [9, 40415].contains(&command.code) && command.message.contains(member))
}

/// Whether a server reports that a collection does not exist.
pub(super) fn is_missing(error: &mongodb::error::Error) -> bool {
    error.server_response().and_then(|answer| answer.get_str("errmsg").ok()) == Some("ns not found")
}

/// Returns a whole number of any type.
pub(super) fn whole(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some((*number).into()),
        Bson::Int64(number) => Some(*number),
        // Some servers return counts as doubles.
        Bson::Double(number) => Some(*number as i64),
        _ => None,
    }
}

/// Adds the index of the failed operation, and the result of the operations before it, to an error.
pub(super) fn at_index(error: Error, index: usize, result: Value) -> Error {
    error.with_detail("index", json!(index)).with_detail("result", result)
}

#[cfg(test)]
mod tests {
    use mongodb::bson::doc;

    use super::*;

    #[test]
    fn codes_of_the_server_are_converted() {
        let rows = [
            (13, ErrorCode::AccessDenied),
            (18, ErrorCode::AccessDenied),
            (26, ErrorCode::NotFound),
            (48, ErrorCode::Conflict),
            (11000, ErrorCode::Conflict),
            (50, ErrorCode::Timeout),
            (91, ErrorCode::Unavailable),
            (238, ErrorCode::Backend),
            (2, ErrorCode::Backend),
        ];
        for (code, expected) in rows {
            assert_eq!(of_code(code, "", "no", None, Access::Read).code, expected, "{code}");
        }
        let denied = of_code(18, "AuthenticationFailed", "canary", None, Access::Read);
        assert!(!format!("{denied:?}").contains("canary"), "{denied:?}");
    }

    #[test]
    fn a_duplicate_key_is_shown_in_the_details() {
        let answer = doc! { "n": 1, "writeErrors": [{
            "index": 1, "code": 11000, "errmsg": "duplicate", "keyPattern": { "a": 1 }, "keyValue": { "a": "x" },
        }] };
        let (index, error) = of_answer(&answer).unwrap();
        assert_eq!((index, error.code), (1, ErrorCode::Conflict));
        let expected =
            json!({ "code": 11000, "message": "duplicate", "keyPattern": { "a": 1 }, "keyValue": { "a": "x" } });
        assert_eq!(error.details, Some(expected));
    }

    #[test]
    fn a_write_that_a_server_may_have_begun_has_an_unknown_outcome() {
        for code in [50, 91] {
            assert_eq!(of_code(code, "", "", None, Access::Read).details.unwrap().get("unknownOutcome"), None);
            assert_eq!(of_code(code, "", "", None, Access::Write).details.unwrap()["unknownOutcome"], true);
        }
        let timed_out = doc! { "n": 1, "writeErrors": [{ "index": 0, "code": 50, "errmsg": "late" }] };
        assert_eq!(of_answer(&timed_out).unwrap().1.details.unwrap()["unknownOutcome"], true);
    }
}
