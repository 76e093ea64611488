//! Checks HTTP requests before the protocol sees them.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE},
};
use rmcp::{
    model::ProtocolVersion,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::cli::mcp::{input::Input, ordered, server::Server, stdio::MESSAGE_BYTES, token::Token};

const PATH: &str = "/mcp";
/// The most sessions at a time.
const SESSIONS: usize = 64;
/// How long a session may be idle.
const SESSION_IDLE: Duration = Duration::from_secs(15 * 60);
/// How long a client may take to begin a session that it has asked for.
const SESSION_START: Duration = Duration::from_secs(10);
/// How long a request may take to send its body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The door of the server.
pub(super) struct Gateway {
    token: Token,
    sessions: Arc<LocalSessionManager>,
    protocol: StreamableHttpService<Server, LocalSessionManager>,
}

impl Gateway {
    pub(super) fn new(server: Server, token: Token, hosts: Vec<String>, port: u16, stop: CancellationToken) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_IDLE);
        sessions.session_config.init_timeout = Some(SESSION_START);
        let sessions = Arc::new(sessions);
        // Of web pages, only one that this server itself would have served; there is none.
        let origins: Vec<_> = hosts.iter().map(|host| origin(host, port)).collect();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(MESSAGE_BYTES)
            .with_cancellation_token(stop);
        let protocol = StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config);
        Self { token, sessions, protocol }
    }

    /// Answers a request.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        match self.checked(request).await {
            Ok(request) => self.protocol.handle(request).await.map(in_order),
            Err(refusal) => *refusal,
        }
    }

    async fn checked(&self, request: Request<Incoming>) -> Result<Request<Full<Bytes>>, Box<Answer>> {
        if request.uri().path() != PATH {
            return Err(refusal(StatusCode::NOT_FOUND, &format!("the path of the server is {PATH}")));
        }
        // First of all: nothing else is revealed to a client without the token.
        if !request.headers().get(AUTHORIZATION).is_some_and(|given| self.token.is_in(given.as_bytes())) {
            let mut refused =
                refusal(StatusCode::UNAUTHORIZED, "the header Authorization needs the token: Bearer TOKEN");
            refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return Err(refused);
        }
        if begins_session(&request) && self.sessions.sessions.read().await.len() >= SESSIONS {
            let message = format!("{SESSIONS} sessions are open, which is the limit: end one, or try again later");
            return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, &message));
        }
        let is_message = request.method() == Method::POST;
        let (mut head, body) = request.into_parts();
        let body = read(body).await?;
        if is_message && let Err(error) = serde_json::from_slice::<IgnoredAny>(&body) {
            return Err(rpc_error(StatusCode::BAD_REQUEST, -32700, &format!("the message is not JSON: {error}")));
        }
        if let Some(input) = Input::of(&body) {
            head.extensions.insert(input);
        }
        Ok(Request::from_parts(head, Full::new(body)))
    }
}

/// `http://127.0.0.1:8000`, `http://[::1]:8000`
fn origin(host: &str, port: u16) -> String {
    if host.contains(':') { format!("http://[{host}]:{port}") } else { format!("http://{host}:{port}") }
}

/// Whether the protocol would open a session. Newer versions of the protocol have none.
fn begins_session<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let version = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok()).unwrap_or_default();
    request.method() == Method::POST
        && !headers.contains_key(SESSION_ID)
        && version < ProtocolVersion::NO_INITIALIZE.as_str()
}

/// The messages of a body with their structured content in order.
fn in_order(body: BoxBody<Bytes, Infallible>) -> BoxBody<Bytes, Infallible> {
    body.map_frame(|frame| frame.map_data(ordered::events)).boxed()
}

/// Reads a body, in a limited time and up to the size of a message.
async fn read(body: Incoming) -> Result<Bytes, Box<Answer>> {
    match timeout(BODY_TIMEOUT, Limited::new(body, MESSAGE_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the message is longer than {MESSAGE_BYTES} bytes, which is the limit");
            Err(rpc_error(StatusCode::PAYLOAD_TOO_LARGE, -32600, &message))
        }
        Ok(Err(error)) => Err(refusal(StatusCode::BAD_REQUEST, &format!("the body can't be read: {error}"))),
        Err(_) => {
            Err(refusal(StatusCode::REQUEST_TIMEOUT, &format!("the body did not arrive within {BODY_TIMEOUT:?}")))
        }
    }
}

fn rpc_error(status: StatusCode, code: i32, message: &str) -> Box<Answer> {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    let mut answer = refusal(status, &body.to_string());
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

fn refusal(status: StatusCode, message: &str) -> Box<Answer> {
    let mut answer = Response::new(Full::new(Bytes::from(message.to_owned())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    Box::new(answer)
}
