//! Errors that all external systems share: unreachable servers, TLS, time-outs, broken connections.
//!
//! They never repeat the server's message: before a login, it may contain a name or a password of the secret.

use std::{borrow::Cow, io, time::Duration};

use crate::{Error, ErrorCode};

/// Returns the error of a server that can't be reached. `authority` describes how a secret names the certificate
/// authority.
pub(crate) fn unreachable(error: &io::Error, authority: &str) -> Error {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return unavailable(failed_tls(tls, authority));
    }
    unavailable(match error.kind() {
        io::ErrorKind::ConnectionRefused => "the host refused the connection",
        io::ErrorKind::TimedOut => "the host did not answer in time",
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
            "the server closed the connection during the login"
        }
        io::ErrorKind::NotFound => "no server listens on the socket of the secret",
        _ => "the host can't be reached",
    })
}

fn failed_tls(error: &rustls::Error, authority: &str) -> Cow<'static, str> {
    use rustls::CertificateError::{Expired, ExpiredContext, NotValidForName, NotValidForNameContext, UnknownIssuer};
    match error {
        rustls::Error::InvalidCertificate(UnknownIssuer) => {
            let message = "the server's certificate is not signed by a trusted authority of the system, or of";
            format!("{message} {authority}").into()
        }
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            "the server's certificate is for another host".into()
        }
        rustls::Error::InvalidCertificate(Expired | ExpiredContext { .. }) => {
            "the server's certificate has expired".into()
        }
        rustls::Error::InvalidCertificate(_) => "the server's certificate is not valid".into(),
        _ => "TLS failed: the server violated the protocol".into(),
    }
}

/// The server did not accept a connection within the time limit.
pub(crate) fn no_connection_within(time: Duration) -> Error {
    unavailable(format!("the server did not answer within {}", humantime::format_duration(time)))
}

/// All connections of a pool stayed in use.
pub(crate) fn none_free_within(time: Duration, connections: usize) -> Error {
    let time = humantime::format_duration(time);
    Error::new(ErrorCode::Timeout, format!("no connection was free within {time}: {connections} are in use"))
}

/// The connection broke during a request.
pub(crate) fn broken() -> Error {
    unavailable("the connection to the server broke")
}

/// The server violated its protocol.
pub(crate) fn protocol(what: &str) -> Error {
    unavailable(format!("protocol error: {what}"))
}

/// The same error with the detail that the request may have been executed.
pub(crate) fn unknown_outcome(error: Error) -> Error {
    error.with_detail("unknownOutcome", true)
}

fn unavailable(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::Unavailable, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_outcome_is_added_to_the_details() {
        assert_eq!(unknown_outcome(broken()).details, Some(json!({ "unknownOutcome": true })));
        let error = broken().detailed(Some(json!({ "sqlstate": "57P01" })));
        assert_eq!(unknown_outcome(error).details, Some(json!({ "sqlstate": "57P01", "unknownOutcome": true })));
    }

    #[test]
    fn a_certificate_of_an_unknown_authority_is_distinguished_from_other_failures() {
        let tls = |error: rustls::CertificateError| io::Error::other(rustls::Error::InvalidCertificate(error));
        let unknown = unreachable(&tls(rustls::CertificateError::UnknownIssuer), "the file that tlsCAFile names");
        assert!(unknown.message.ends_with("of the system, or of the file that tlsCAFile names"), "{unknown}");
        let expired = unreachable(&tls(rustls::CertificateError::Expired), "");
        assert_eq!(expired.message, "the server's certificate has expired");
        let refused = unreachable(&io::ErrorKind::ConnectionRefused.into(), "");
        assert_eq!(
            (refused.code, refused.message.as_str()),
            (ErrorCode::Unavailable, "the host refused the connection")
        );
    }
}
