//! Converts errors of the client and the server to errors for the script.
//!
//! Messages of the server that concern the login are not shown: they may repeat the access key.

use std::{error::Error as StdError, io, time::Duration};

use aws_sdk_s3::{
    config::http::HttpResponse,
    error::{DisplayErrorContext, ProvideErrorMetadata, SdkError},
};
use serde_json::{Map, Value};

use super::answer_limit::AnswerTooLong;
use crate::{
    Error, ErrorCode,
    gate::error::{broken, no_connection_within, protocol, unknown_outcome, unreachable},
};

/// How a secret names the authority of a server.
const AUTHORITY: &str = "the member ca of the secret";

/// Why a request failed.
pub(super) enum Failure {
    /// Nothing was sent.
    NotSent(Error),
    /// The connection broke, or the answer was not that of an S3 server.
    Broken(Error),
    /// The server answered.
    Answer(Answer),
}

/// An error that the server returned.
pub(super) struct Answer {
    status: u16,
    code: Option<String>,
    message: Option<String>,
    request_id: Option<String>,
    /// The region of the bucket, if the server returned it.
    region: Option<String>,
}

impl Failure {
    pub(super) fn of<E>(error: &SdkError<E, HttpResponse>, connect_timeout: Duration) -> Self
    where
        E: ProvideErrorMetadata + StdError + 'static,
    {
        match error {
            SdkError::ServiceError(service) => Self::of_answer(service.raw(), service.err()),
            SdkError::ConstructionFailure(_) => Self::NotSent(Error::internal(CLIENT_FAILED)),
            SdkError::TimeoutError(_) => Self::NotSent(no_connection_within(connect_timeout)),
            SdkError::ResponseError(_) => Self::Broken(of_content(error)),
            // The client reports a stalled upload in the same way as a connection that could not be made.
            SdkError::DispatchFailure(_) if is_stalled(error) => Self::Broken(stalled()),
            SdkError::DispatchFailure(failure) if failure.is_timeout() => {
                Self::NotSent(no_connection_within(connect_timeout))
            }
            _ => of_dispatch(error),
        }
    }

    fn of_answer<E: ProvideErrorMetadata>(raw: &HttpResponse, error: &E) -> Self {
        let header = |name: &str| raw.headers().get(name).map(str::to_owned);
        let (status, code) = (raw.status().as_u16(), error.code().map(str::to_owned));
        let has_body = raw.body().bytes().is_some_and(|body| !body.is_empty());
        // With a code, the answer is an error whatever its status: a copy, and the completion of an upload, may fail
        // after the server has begun to answer with success. Without a code, an answer of success, or with a body, does
        // not come from an S3 server; but a proxy may answer with status 503.
        if code.is_none() && (raw.status().is_success() || (has_body && status != 503)) {
            return Self::Broken(protocol(NOT_S3));
        }
        Self::Answer(Answer {
            status,
            code,
            message: error.message().map(str::to_owned),
            request_id: header("x-amz-request-id"),
            region: header("x-amz-bucket-region"),
        })
    }

    /// Whether the request may be sent again. A request that is not repeatable may be sent again only if the server did
    /// nothing.
    pub(super) fn may_retry(&self, is_repeatable: bool) -> bool {
        match self {
            Self::NotSent(_) => false,
            Self::Broken(error) => is_repeatable && error.code == ErrorCode::Unavailable,
            Self::Answer(answer) => answer.is_busy() || (is_repeatable && answer.is_failure()),
        }
    }

    /// The code of the server's error; empty if there is none.
    pub(super) fn code(&self) -> &str {
        match self {
            Self::Answer(answer) => answer.code.as_deref().unwrap_or_default(),
            Self::NotSent(_) | Self::Broken(_) => "",
        }
    }

    /// The status of the server's answer; 0 if there is none.
    pub(super) fn status(&self) -> u16 {
        if let Self::Answer(answer) = self { answer.status } else { 0 }
    }

    /// Whether the bucket is in another region. (A redirect without a region could come from any web server.)
    pub(super) fn is_in_other_region(&self) -> bool {
        matches!(self, Self::Answer(Answer { status: 301, region: Some(_), .. }))
    }

    /// Whether the server refused the region for a new bucket.
    pub(super) fn is_about_region(&self) -> bool {
        matches!(self.code(), "InvalidRegion" | "InvalidLocationConstraint" | "IllegalLocationConstraintException")
    }

    /// Converts the failure to an error for the script. `is_write` says whether the request changes something.
    pub(super) fn into_error(self, is_write: bool) -> Error {
        match self {
            Self::NotSent(error) => error,
            Self::Broken(error) if is_write => unknown_outcome(error),
            Self::Broken(error) => error,
            Self::Answer(answer) => {
                let is_failure = answer.is_failure();
                let error = answer.into_error();
                let is_unknown = is_write && is_failure && error.code == ErrorCode::Unavailable;
                if is_unknown { unknown_outcome(error) } else { error }
            }
        }
    }
}

const NOT_S3: &str = "the answer is not that of an S3 server";
const STALLED: &str = "the transfer stalled: no byte moved for 20s";
const CLIENT_FAILED: &str = "a request to the object store could not be made";

/// Finds an error of a type in a chain of sources, also inside I/O errors.
fn find<'e, E: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = inner.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| error.source());
    }
    None
}

fn of_dispatch(error: &(dyn StdError + 'static)) -> Failure {
    let is_connect = find::<hyper_util::client::legacy::Error>(error).is_some_and(|error| error.is_connect());
    // TLS can also fail once the request is sent.
    if !is_connect {
        return Failure::Broken(of_content(error));
    }
    let cause = match find::<rustls::Error>(error) {
        Some(tls) => io::Error::other(tls.clone()),
        None => find::<io::Error>(error).map_or(io::ErrorKind::Other, io::Error::kind).into(),
    };
    Failure::NotSent(unreachable(&cause, AUTHORITY))
}

/// Whether the client gave up a transfer that did not progress. The error is recognized by its text, since its type is
/// not public.
fn is_stalled(error: &(dyn StdError + 'static)) -> bool {
    DisplayErrorContext(error).to_string().contains("minimum throughput")
}

fn stalled() -> Error {
    Error::new(ErrorCode::Unavailable, STALLED)
}

/// Converts the error of reading the content of an answer.
pub(super) fn of_content(error: &(dyn StdError + 'static)) -> Error {
    if let Some(own) = find::<OwnError>(error) {
        return own.to_error();
    }
    if let Some(long) = find::<AnswerTooLong>(error) {
        return protocol(&long.to_string());
    }
    if is_stalled(error) {
        return stalled();
    }
    let text = DisplayErrorContext(error).to_string();
    let is_io = find::<io::Error>(error).is_some()
        || find::<rustls::Error>(error).is_some()
        || text.contains("connection closed")
        || text.contains("before message completed");
    if is_io { broken() } else { protocol(NOT_S3) }
}

/// An error of ghost that passes through the client: the file of an upload can't be read.
#[derive(Debug)]
pub(super) struct OwnError(pub(super) ErrorCode, pub(super) String);

impl OwnError {
    fn to_error(&self) -> Error {
        Error::new(self.0, self.1.clone())
    }
}

impl std::fmt::Display for OwnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.1)
    }
}

impl StdError for OwnError {}

impl Answer {
    /// Whether the server was too busy for the request, and did nothing.
    fn is_busy(&self) -> bool {
        let code = self.code.as_deref().unwrap_or_default();
        matches!(self.status, 429 | 503)
            || matches!(
                code,
                "SlowDown" | "ServiceUnavailable" | "RequestTimeout" | "Throttling" | "ThrottlingException"
            )
    }

    /// Whether the server, or a proxy in front of it, failed. The request may have been executed.
    fn is_failure(&self) -> bool {
        matches!(self.status, 500 | 502 | 504) || self.code.as_deref() == Some("InternalError")
    }

    fn into_error(self) -> Error {
        let (code, message) = self.meaning();
        let is_login = matches!(code, ErrorCode::AccessDenied | ErrorCode::SecretInvalid);
        let message = match message {
            Some(message) => message.to_owned(),
            None => {
                self.message.clone().unwrap_or_else(|| format!("the server answered with the status {}", self.status))
            }
        };
        let texts = [
            ("code", self.code),
            ("message", self.message.filter(|_| !is_login)),
            ("requestId", self.request_id),
            ("region", self.region),
        ];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?))));
        let details: Map<_, _> = texts.chain([("status".to_owned(), self.status.into())]).collect();
        Error::new(code, message).detailed(Some(details.into()))
    }

    /// Returns the code for the script, and the message; `None` to show the server's own message.
    fn meaning(&self) -> (ErrorCode, Option<&'static str>) {
        let by_code = self.code.as_deref().and_then(of_code);
        by_code.unwrap_or(match self.status {
            401 | 403 => (
                ErrorCode::AccessDenied,
                Some("the server refused the access key, or the access key lacks the permission"),
            ),
            404 => (ErrorCode::NotFound, Some("the bucket or the object does not exist")),
            409 => (ErrorCode::Conflict, None),
            412 => (ErrorCode::Conflict, Some("the object changed at the same time")),
            301 | 307 => (ErrorCode::SecretInvalid, Some(OTHER_REGION)),
            429 | 503 => (ErrorCode::Unavailable, Some(OVERLOADED)),
            500 | 502 | 504 => (ErrorCode::Unavailable, None),
            _ => (ErrorCode::Backend, None),
        })
    }
}

const OVERLOADED: &str = "the server is overloaded, or not ready yet";
const OTHER_REGION: &str = "the region of the secret is not that of the bucket or of the server";

fn of_code(code: &str) -> Option<(ErrorCode, Option<&'static str>)> {
    use ErrorCode::{AccessDenied, Conflict, InvalidArgument, Limit, NotFound, SecretInvalid, Unavailable};
    Some(match code {
        "NoSuchBucket" => (NotFound, Some("the bucket does not exist")),
        "NoSuchKey" => (NotFound, Some("the object does not exist")),
        "NoSuchUpload" => (NotFound, Some("the server has discarded the upload")),
        // versitygw returns the second one.
        "InvalidAccessKeyId" | "XAdminUserNotFound" => {
            (AccessDenied, Some("the server does not know the access key of the secret"))
        }
        "SignatureDoesNotMatch" => (AccessDenied, Some("the server refused the secret access key of the secret")),
        "ExpiredToken" => (AccessDenied, Some("the session token of the secret has expired")),
        "InvalidToken" => (AccessDenied, Some("the server refused the session token of the secret")),
        "RequestTimeTooSkewed" => (AccessDenied, Some("the clocks of this machine and of the server differ too much")),
        "AccessDenied" | "AllAccessDisabled" | "AccountProblem" | "UnauthorizedAccess" => {
            (AccessDenied, Some("the access key of the secret lacks the permission"))
        }
        "BucketAlreadyExists" => (Conflict, Some("the bucket exists, and belongs to another account")),
        "BucketAlreadyOwnedByYou" | "OperationAborted" | "ConditionalRequestConflict" => (Conflict, None),
        "PreconditionFailed" => (Conflict, Some("the object changed at the same time")),
        "AuthorizationHeaderMalformed" | "PermanentRedirect" | "TemporaryRedirect" => {
            (SecretInvalid, Some(OTHER_REGION))
        }
        "InvalidBucketName"
        | "InvalidObjectName"
        | "XMinioInvalidObjectName"
        | "KeyTooLongError"
        | "InvalidRegion"
        | "InvalidLocationConstraint"
        | "IllegalLocationConstraintException" => (InvalidArgument, None),
        "EntityTooLarge" | "TooManyBuckets" | "QuotaExceeded" | "XMinioStorageFull" => (Limit, None),
        "InternalError" => (Unavailable, None),
        "SlowDown" | "ServiceUnavailable" | "XMinioServerNotInitialized" => (Unavailable, Some(OVERLOADED)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use aws_sdk_s3::{
        error::{ConnectorError, ErrorMetadata},
        operation::put_object::PutObjectError,
        primitives::SdkBody,
    };
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_in_an_answer_of_success_keeps_its_code() {
        let of = |code: Option<&str>| {
            let error = ErrorMetadata::builder().message("text");
            let error = code.into_iter().fold(error, |error, code| error.code(code));
            let raw = HttpResponse::new(200_u16.try_into().unwrap(), SdkBody::from("<Error/>"));
            Failure::of_answer(&raw, &error.build())
        };
        let failed = of(Some("InternalError"));
        assert!(failed.code() == "InternalError" && failed.may_retry(true) && !failed.may_retry(false));
        assert!(of(Some("SlowDown")).may_retry(false) && of(Some("ServiceUnavailable")).may_retry(false));
        let error = failed.into_error(true);
        assert_eq!(
            (error.code, error.details.unwrap()["unknownOutcome"].clone()),
            (ErrorCode::Unavailable, json!(true))
        );
        let gone = of(Some("NoSuchUpload")).into_error(true);
        assert_eq!((gone.code, gone.message.as_str()), (ErrorCode::NotFound, "the server has discarded the upload"));
        assert!(of(None).into_error(false).message.ends_with(NOT_S3));
    }

    fn of(error: ConnectorError) -> Failure {
        Failure::of(&SdkError::<PutObjectError, _>::dispatch_failure(error), Duration::from_secs(10))
    }

    #[test]
    fn a_stalled_upload_is_not_taken_for_a_failed_connection() {
        // The client's text.
        let text = "minimum throughput was specified at 1 B/s, but throughput of 0 B/s was observed";
        let stalled = || of(ConnectorError::timeout(io::Error::other(text).into()));
        assert!(stalled().may_retry(true) && !stalled().may_retry(false));
        let error = stalled().into_error(true);
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::Unavailable, STALLED));
        assert_eq!(error.details, Some(json!({ "unknownOutcome": true })));
        let error = of(ConnectorError::timeout(io::Error::other("HTTP connect timeout").into())).into_error(true);
        assert_eq!((error.message.as_str(), error.details), ("the server did not answer within 10s", None));
    }
}
