//! Converts errors of the client and the server to errors for the script.
//!
//! The server's text about a refused login is not shown, because it repeats names of the secret.

use std::{error::Error as _, io, time::Duration};

use elasticsearch::http::{StatusCode, response};
use serde_json::{Map, Value};

use super::{answer::Answer, config::Config};
use crate::{
    Error, ErrorCode,
    gate::error::{broken, no_connection_within, protocol, unknown_outcome, unreachable},
};

/// How a secret names the authority of a server.
const AUTHORITY: &str = "the member ca of the secret";

/// The maximum length of a text of the server that is shown, in characters.
const TEXT_CHARS: usize = 8 << 10;

/// The stage at which a request without an answer failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// No server accepted the connection.
    Unreachable,
    /// The request was not sent, for another reason.
    NotSent,
    /// The server may have executed it.
    Sent,
}

/// A request without an answer.
pub(super) struct Failed {
    pub(super) error: Error,
    pub(super) stage: Stage,
}

impl Failed {
    pub(super) fn at(stage: Stage, error: Error) -> Self {
        Self { error, stage }
    }
}

/// Converts the client's error of a request. The result shows nothing of the URL, which the client's error contains.
pub(super) fn of_sending(error: &reqwest::Error, config: &Config, connect: Duration, has_answered: bool) -> Failed {
    if !error.is_connect() {
        return Failed::at(Stage::Sent, if has_answered { broken() } else { no_answer(config) });
    }
    if let Some(tls) = cause::<rustls::Error>(error) {
        return Failed::at(Stage::NotSent, of_tls(tls));
    }
    if error.is_timeout() {
        return Failed::at(Stage::Unreachable, no_connection_within(connect));
    }
    let kind = cause::<io::Error>(error).map_or(io::ErrorKind::Other, io::Error::kind);
    let is_cut = matches!(kind, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset);
    if is_cut && config.is_tls {
        return Failed::at(Stage::NotSent, no_tls());
    }
    Failed::at(Stage::Unreachable, unreachable(&kind.into(), AUTHORITY))
}

/// Returns the first cause of a type, also inside I/O errors: an `io::Error` does not return the error inside it as its
/// source.
fn cause<T: std::error::Error + 'static>(error: &reqwest::Error) -> Option<&T> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = error.source();
    while let Some(error) = next {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = error.downcast_ref::<T>().filter(|_| inner.is_none() || !is_io::<T>()) {
            return Some(found);
        }
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// Whether the wanted cause is an `io::Error`. Of nested I/O errors, the innermost one contains the reason.
fn is_io<T: 'static>() -> bool {
    std::any::TypeId::of::<T>() == std::any::TypeId::of::<io::Error>()
}

/// Converts an error of TLS. An invalid message means that the server speaks another protocol; any other error comes
/// from a server that speaks TLS.
fn of_tls(error: &rustls::Error) -> Error {
    match error {
        rustls::Error::InvalidMessage(_) => no_tls(),
        _ => unreachable(&io::Error::other(error.clone()), AUTHORITY),
    }
}

fn no_tls() -> Error {
    unavailable("TLS failed: the server does not speak it at this port; a url with http:// is for a server without TLS")
}

/// The error for a connection that broke, or a server that answered in another protocol: the client does not
/// distinguish these.
fn no_answer(config: &Config) -> Error {
    unavailable(match config.is_tls {
        true => "the connection broke before the server's first answer in HTTP; it may not be a search cluster",
        false => {
            "the connection broke before the server's first answer in HTTP; it may expect TLS (a url with https://), or may not be a search cluster"
        }
    })
}

fn unavailable(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::Unavailable, message)
}

/// The error for a redirect, which is not followed because it could lead to any server.
pub(super) fn redirected(status: StatusCode) -> Error {
    let status = status.as_u16();
    protocol(&format!(
        "the server answers with a redirect (status {status}), which is not followed; the url of the secret must be that of the cluster"
    ))
}

pub(super) fn not_a_cluster() -> Error {
    protocol("the answer is not that of Elasticsearch or OpenSearch")
}

pub(super) fn not_utf8() -> Error {
    protocol("the answer is not UTF-8")
}

pub(super) fn too_deep(limit: usize) -> Error {
    protocol(&format!("the answer is nested more than {limit} levels deep"))
}

pub(super) fn cut_answer() -> Error {
    unavailable("the connection to the server broke within its answer")
}

pub(super) fn stalled(time: Duration) -> Error {
    let time = humantime::format_duration(time);
    unavailable(format!("the server stopped within its answer: nothing more arrived for {time}"))
}

/// A failure that the server reported.
pub(super) struct Failure {
    pub(super) status: u16,
    ty: Option<String>,
    reason: Option<String>,
    caused_by: Option<String>,
    /// Other members: the index, the position in a query.
    more: Map<String, Value>,
}

/// The other members of a failure that are shown.
const MORE: [&str; 3] = ["index", "line", "col"];

impl Failure {
    /// Reads the failure of an answer.
    pub(super) fn of(answer: &Answer) -> Self {
        let status = answer.status.as_u16();
        let found = serde_json::from_str::<response::Exception>(answer.text());
        found.map_or_else(|_| Self::unexplained(status), |found| Self::read(status, found.error(), &answer.words))
    }

    fn unexplained(status: u16) -> Self {
        Self { status, ty: None, reason: None, caused_by: None, more: Map::new() }
    }

    /// Reads the first root cause of an error, since the error itself may say only that all shards failed. `words` are
    /// the words of the secret.
    pub(super) fn read(status: u16, error: &response::Error, words: &[String]) -> Self {
        let root = error.root_cause().first();
        let text = |text: Option<&str>| text.map(|text| shortened(text, words));
        let caused_by = |cause: Option<&response::Cause>| text(cause.and_then(response::Cause::reason));
        let (ty, reason, more) = match root {
            Some(root) => (root.ty(), root.reason(), root.additional_details()),
            None => (error.ty(), error.reason(), error.additional_details()),
        };
        let more = MORE.iter().filter_map(|name| Some(((*name).to_owned(), plain(more.get(*name)?, words)?)));
        Self {
            status,
            ty: text(ty),
            reason: text(reason),
            caused_by: caused_by(root.and_then(response::Cause::caused_by)).or_else(|| caused_by(error.caused_by())),
            more: more.collect(),
        }
    }

    fn is(&self, ty: &str) -> bool {
        self.ty.as_deref() == Some(ty)
    }

    /// Whether the text may contain names of the secret.
    fn is_about_identity(&self) -> bool {
        self.status == 401 || self.is("security_exception") || (self.status == 403 && self.ty.is_none())
    }

    /// Returns the message for the script.
    pub(super) fn message(&self) -> String {
        if self.is_about_identity() {
            return match self.status {
                401 => "the server refused the credentials of the secret, or requires some".to_owned(),
                _ => match self.action() {
                    Some(action) => format!("the identity of the secret lacks a permission ({action})"),
                    None => "the identity of the secret lacks a permission".to_owned(),
                },
            };
        }
        match (&self.reason, &self.ty) {
            (Some(reason), _) => reason.clone(),
            (None, Some(ty)) => ty.clone(),
            (None, None) => match self.status {
                413 => "the request is larger than the server accepts".to_owned(),
                429 => "the server has too many requests".to_owned(),
                status => format!("the server answered with status {status} without a reason"),
            },
        }
    }

    /// Returns the cause of the failure, if it may be shown.
    pub(super) fn shown_cause(&self) -> Option<&str> {
        self.caused_by.as_deref().filter(|_| !self.is_about_identity())
    }

    /// Returns the action that is not permitted, without the rest of the text, which names the user.
    fn action(&self) -> Option<&str> {
        let action = self.reason.as_deref()?.split_once("action [")?.1.split_once("] is unauthorized")?.0;
        let is_action = |one: char| one.is_ascii_alphanumeric() || matches!(one, ':' | '/' | '_' | '*' | '[' | ']');
        (action.contains(':') && action.len() <= 100 && action.chars().all(is_action)).then_some(action)
    }

    /// Returns the code for the type and the status.
    fn code(&self) -> ErrorCode {
        if self.is_about_identity() {
            return ErrorCode::AccessDenied;
        }
        match (self.ty.as_deref().unwrap_or_default(), self.status) {
            ("index_not_found_exception" | "resource_not_found_exception", _) => ErrorCode::NotFound,
            ("version_conflict_engine_exception" | "resource_already_exists_exception", _) => ErrorCode::Conflict,
            ("invalid_index_name_exception", _) => ErrorCode::InvalidArgument,
            (_, 413) => ErrorCode::Limit,
            (_, 502..=504) => ErrorCode::Unavailable,
            _ => ErrorCode::Backend,
        }
    }

    fn details(&self) -> Value {
        let is_secret = self.is_about_identity();
        let texts = [("type", self.ty.as_ref()), ("reason", self.reason.as_ref().filter(|_| !is_secret))];
        let texts = texts.into_iter().map(|(name, text)| (name, text.map(String::as_str)));
        let texts = texts.chain([("causedBy", self.shown_cause())]);
        let texts = texts.filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
        let mut details: Map<String, Value> = Map::from_iter([("status".to_owned(), self.status.into())]);
        details.extend(texts);
        details.extend(self.more.clone());
        details.into()
    }
}

/// The types of errors for a malformed query.
const SYNTAX: [&str; 6] = [
    "parsing_exception",
    "parse_exception",
    "query_shard_exception",
    "x_content_parse_exception",
    "named_object_not_found_exception",
    "json_parse_exception",
];

/// Returns the error for an answer whose status is not a success.
pub(super) fn of_answer(answer: &Answer) -> Error {
    of_failure(&Failure::of(answer))
}

fn of_failure(failure: &Failure) -> Error {
    if failure.status == 404 && failure.ty.is_none() && failure.reason.is_none() {
        return not_a_cluster();
    }
    Error::new(failure.code(), failure.message()).detailed(Some(failure.details()))
}

/// Returns the error for an answer to a query.
pub(super) fn of_query(answer: &Answer) -> Error {
    let failure = Failure::of(answer);
    let is_syntax = failure.status == 400 && failure.ty.as_deref().is_some_and(|ty| SYNTAX.contains(&ty));
    let mut error = of_failure(&failure);
    if is_syntax {
        error.code = ErrorCode::QuerySyntax;
    }
    error
}

/// Whether an answer has an error of a type.
pub(super) fn has_type(answer: &Answer, ty: &str) -> bool {
    Failure::of(answer).is(ty)
}

/// Marks the error of a write as having an unknown outcome if it comes from a gateway, since the server may still have
/// executed the request. A status of 503 with a type comes from the server itself, which refused the request.
pub(super) fn of_write(error: Error) -> Error {
    let details = error.details.as_ref();
    let is_of_gateway = details.is_some_and(|details| match details["status"].as_u64() {
        Some(502 | 504) => true,
        Some(503) => details["type"].is_null(),
        _ => false,
    });
    if is_of_gateway { unknown_outcome(error) } else { error }
}

/// Shortens a long text. The cut never goes through a word of the secret, since only whole words are redacted later.
fn shortened(text: &str, words: &[String]) -> String {
    let Some((mut end, _)) = text.char_indices().nth(TEXT_CHARS) else { return text.to_owned() };
    while let Some(start) = words.iter().filter_map(|word| cut_word(text, word, end)).min() {
        end = start;
    }
    format!("{}…", &text[..end])
}

/// Returns the start of the word, if a cut at `end` would go through it.
fn cut_word(text: &str, word: &str, end: usize) -> Option<usize> {
    let first = (end + 1).saturating_sub(word.len());
    (first..end).find(|start| text.as_bytes()[*start..].starts_with(word.as_bytes()))
}

/// Returns a string, shortened, or a number; `None` for any other value, inside which the redaction of errors would not
/// find texts.
fn plain(value: &Value, words: &[String]) -> Option<Value> {
    match value {
        Value::String(text) => Some(shortened(text, words).into()),
        Value::Number(_) => Some(value.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, ty: Option<&str>, reason: Option<&str>) -> Failure {
        let text = |text: Option<&str>| text.map(ToOwned::to_owned);
        Failure { status, ty: text(ty), reason: text(reason), caused_by: None, more: Map::new() }
    }

    #[test]
    fn a_long_text_is_not_cut_within_a_word_of_the_secret() {
        let words = ["hunter2-éé".to_owned(), "me:hunter".to_owned()];
        assert_eq!(shortened("hunter2-éé", &words), "hunter2-éé");
        for before in TEXT_CHARS - 20..=TEXT_CHARS {
            let dots = ".".repeat(before);
            let cut = shortened(&format!("{dots}me:hunter2-éé and more than is shown"), &words);
            let rest = cut.strip_prefix(&dots).unwrap();
            let allowed = ["…", "me:hunter2-éé…", "me:hunter2-éé …"];
            assert!(allowed.contains(&rest) || rest.starts_with("me:hunter2-éé "), "{before}: {rest}");
        }
    }

    #[test]
    fn only_an_invalid_message_is_reported_as_missing_tls() {
        let no_tls = of_tls(&rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType));
        assert!(no_tls.message.contains("does not speak it at this port"), "{no_tls}");
        for error in [
            rustls::Error::AlertReceived(rustls::AlertDescription::HandshakeFailure),
            rustls::Error::InvalidCertificate(rustls::CertificateError::Expired),
            rustls::Error::NoCertificatesPresented,
        ] {
            let other = of_tls(&error);
            assert!(!other.message.contains("at this port"), "{other}");
        }
    }

    #[test]
    fn the_action_that_is_not_permitted_is_shown_without_the_user() {
        let message = |action: &str| {
            let reason = format!("action [{action}] is unauthorized for user [canary] with roles [a,b]");
            failure(403, Some("security_exception"), Some(&reason)).message()
        };
        for action in ["indices:data/write/bulk[s]", "indices:admin/create", "cluster:monitor/main"] {
            assert_eq!(message(action), format!("the identity of the secret lacks a permission ({action})"));
        }
        assert_eq!(message("indices:a] of [canary b"), "the identity of the secret lacks a permission");
    }

    #[test]
    fn the_outcome_of_a_write_is_unknown_when_a_gateway_gave_up() {
        for (status, ty, is_unknown) in [
            (502, None, true),
            (503, None, true),
            (504, None, true),
            (502, Some("some_exception"), true),
            (503, Some("unavailable_shards_exception"), false),
            (500, None, false),
            (400, None, false),
        ] {
            let failure = failure(status, ty, None);
            let error = of_write(Error::new(failure.code(), failure.message()).detailed(Some(failure.details())));
            assert_eq!(error.details.unwrap()["unknownOutcome"] == true, is_unknown, "{status} {ty:?}");
        }
    }
}
