//! The protocol on standard input and output: one JSON message a line.
//!
//! rmcp's own transport ignores a line that it can't parse, and ends when something other than a request comes before the
//! session. This one answers each such line with an error, and reads on.

mod lines;

use std::{
    collections::HashSet,
    io::{self, IsTerminal},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServiceExt,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetMeta, JsonRpcError, JsonRpcMessage,
        ProtocolVersion, RequestId, ServerJsonRpcMessage,
    },
    service::ServerInitializeError,
    transport::{Transport, io::StdioWriter, stdio_pipes},
};
use serde_json::Value;
use tokio::{io::AsyncWriteExt, sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{input::Input, ordered, server::Server};
use crate::cli::report;
use lines::{Line, Lines};

/// The longest message, in bytes.
pub(super) const MESSAGE_BYTES: usize = 8 << 20;
/// The most requests without an answer.
const REQUESTS: usize = 256;
/// The most messages that wait for a client that does not read. When it is reached, the server reads nothing either.
const UNREAD_MESSAGES: usize = 16;
/// How long the end of the server waits for a client that does not read.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// Serves one client, until it closes standard input. `stop` is cancelled at once when it does so, or can't be written to.
pub(super) async fn serve(server: Server, stop: CancellationToken) -> Result<(), String> {
    if io::stdin().is_terminal() {
        report::note(
            "waiting for messages of the Model Context Protocol on standard input; usually a client starts this command \
             (ghost help mcp). Ctrl-C ends it",
        );
    }
    match server.serve(Stdio::new(stop)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| format!("the server failed: {error}")),
        // The client left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(format!("the session failed: {error}")),
    }
}

struct Stdio {
    lines: Lines,
    /// The error that answers the last line, until it is sent.
    refusal: Option<Vec<u8>>,
    /// Whether the client has begun a session.
    is_open: bool,
    requests: Requests,
    output: Option<mpsc::Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    stop: CancellationToken,
}

/// The ids of the requests without an answer.
#[derive(Clone, Default)]
struct Requests(Arc<Mutex<HashSet<RequestId>>>);

impl Stdio {
    fn new(stop: CancellationToken) -> Self {
        let (input, standard_output) = stdio_pipes();
        let (output, messages) = mpsc::channel(UNREAD_MESSAGES);
        let writer = tokio::spawn(write(standard_output, messages, stop.clone()));
        let (lines, requests) = (Lines::of(input, MESSAGE_BYTES), Requests::default());
        Self { lines, refusal: None, is_open: false, requests, output: Some(output), writer, stop }
    }

    /// Returns the next message for the server, and answers those that are none. Loses nothing when it is dropped.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.refusal.is_some() {
                let place = self.output.as_ref()?.reserve().await.ok()?;
                if let Some(refusal) = self.refusal.take() {
                    place.send(refusal);
                }
            }
            let accepted = match self.lines.next().await? {
                Line::Complete(line) => parse(&line).and_then(|message| self.accept(message)),
                Line::TooLong(id) => {
                    let message = format!("the message is longer than {MESSAGE_BYTES} bytes, which is the limit");
                    Err(refusal(id, ErrorCode::INVALID_REQUEST, message))
                }
            };
            match accepted {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => self.refusal = encode(&JsonRpcMessage::Error(*error)).ok(),
            }
        }
    }

    /// Returns a message if the session allows it.
    fn accept(&mut self, message: Option<ClientJsonRpcMessage>) -> Accepted {
        let Some(message) = message else { return Ok(None) };
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                if !self.is_open {
                    self.is_open = opens(&request.request, &request.id)?;
                }
                self.requests.begin(&request.id)?;
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification {
                    // A cancelled request gets no answer.
                    cancelled.params.request_id.iter().for_each(|id| self.requests.end(id));
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
        // Before the session, rmcp accepts only requests; there is nobody to answer.
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        Ok((self.is_open || is_request).then_some(message))
    }
}

/// A message to pass on, if there is one, or the error to answer with.
type Accepted = Result<Option<ClientJsonRpcMessage>, Box<JsonRpcError>>;

/// Whether a request opens the session. Fails for one that has to wait until there is a session.
fn opens(request: &ClientRequest, id: &RequestId) -> Result<bool, Box<JsonRpcError>> {
    let metadata = request.get_meta();
    let version = metadata.protocol_version();
    let is_complete = metadata.missing_required_keys(&ProtocolVersion::LATEST).is_empty();
    match request {
        ClientRequest::InitializeRequest(_) => Ok(true),
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => Ok(false),
        // From 2026-07-28 on, each request names the version, and there is no `initialize`.
        _ if is_complete => Ok(version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))),
        ClientRequest::CustomRequest(request) if request.method == "initialize" => {
            let message =
                "initialize needs the parameters protocolVersion, capabilities and clientInfo (name, version)";
            Err(refusal(Some(id.clone()), ErrorCode::INVALID_PARAMS, message))
        }
        _ => {
            let message = "there is no session yet: send initialize first, or name the protocol version in _meta";
            Err(refusal(Some(id.clone()), ErrorCode::INVALID_REQUEST, message))
        }
    }
}

/// Parses a line. Returns nothing for an empty one, and for a notification that the protocol does not have.
fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<JsonRpcError>> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(with_input(message, line))),
        Err(error) => error,
    };
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| refusal(None, ErrorCode::PARSE_ERROR, format!("the message is not JSON: {error}")))?;
    if value.get("method").is_some_and(Value::is_string) && value.get("id").is_none() {
        return Ok(None);
    }
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let message = match value {
        Value::Array(_) => "batches of messages are not supported: send one message a line".into(),
        _ => format!("the message is not a JSON-RPC 2.0 request: {error}"),
    };
    Err(refusal(id, ErrorCode::INVALID_REQUEST, message))
}

/// Attaches the input of a script to its request.
fn with_input(mut message: ClientJsonRpcMessage, line: &[u8]) -> ClientJsonRpcMessage {
    if let ClientJsonRpcMessage::Request(request) = &mut message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
        && let Some(input) = Input::of(line)
    {
        call.extensions.insert(input);
    }
    message
}

fn refusal(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> Box<JsonRpcError> {
    Box::new(JsonRpcError::new(id, ErrorData::new(code, message.into(), None)))
}

impl Requests {
    /// Records a request. Fails when its id is in use, or there are too many.
    fn begin(&self, id: &RequestId) -> Result<(), Box<JsonRpcError>> {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = |message: String| Err(refusal(Some(id.clone()), ErrorCode::INVALID_REQUEST, message));
        if ids.contains(id) {
            return refused(format!("a request with the id {id} has no answer yet"));
        }
        if ids.len() >= REQUESTS {
            return refused(format!("{REQUESTS} requests have no answer yet, which is the limit"));
        }
        ids.insert(id.clone());
        Ok(())
    }

    fn end(&self, id: &RequestId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Records that a message is sent.
    fn answered(&self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Response(response) => self.end(&response.id),
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => self.end(id),
            _ => {}
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, requests) = (self.output.clone(), self.requests.clone());
        async move {
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let line = encode(&message)?;
            let sent = output.ok_or_else(closed)?.send(line).await.map_err(|_| closed());
            requests.answered(&message);
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let stop = self.stop.clone();
        let message = tokio::select! {
            message = self.next() => message,
            () = stop.cancelled() => None,
        };
        if message.is_none() {
            // Stops the scripts before rmcp waits for their results.
            stop.cancel();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output = None;
        // A client that does not read gets nothing more.
        let _ = tokio::time::timeout(LAST_WRITE, &mut self.writer).await;
        Ok(())
    }
}

/// Returns a message as a line.
fn encode(message: &ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    let json = serde_json::to_string(message)?;
    let mut line = ordered::message(&json).unwrap_or(json);
    line.push('\n');
    Ok(line.into())
}

/// Writes messages to standard output, the only writer there is. Cancels `stop` when it fails.
async fn write(mut output: StdioWriter, mut messages: mpsc::Receiver<Vec<u8>>, stop: CancellationToken) {
    while let Some(message) = messages.recv().await {
        let written = match output.write_all(&message).await {
            Ok(()) => output.flush().await,
            failed => failed,
        };
        if let Err(error) = written {
            tracing::debug!("standard output can't be written: {error}");
            stop.cancel();
            return;
        }
    }
}
