//! `ghost mcp --http`, and requests to it that are written by hand.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use ghost_tests::folder::Folder;
use serde_json::{Value, json};

use super::client::{command, initialization};

pub const TOKEN: &str = "a-token-of-the-tests-0123456789";
const HANGS_AFTER: Duration = Duration::from_secs(60);

/// A server on a free port.
pub struct Server {
    child: Child,
    pub port: u16,
    stderr: Arc<Mutex<String>>,
}

impl Server {
    pub fn start(folder: &Folder, flags: &[&str]) -> Self {
        Self::with_token(folder, flags, Some(TOKEN))
    }

    /// Starts a server with a token in its environment.
    pub fn with_token(folder: &Folder, flags: &[&str], token: Option<&str>) -> Self {
        let mut command = command(folder, flags);
        command.args(["--http", "0"]).envs(token.map(|token| ("GHOST_MCP_TOKEN", token)));
        let mut child = command.spawn().expect("the program starts");
        let (stderr, lines) = (Arc::default(), BufReader::new(child.stderr.take().expect("it is a pipe")));
        let mut server = Self { child, port: 0, stderr };
        let text = Arc::clone(&server.stderr);
        thread::spawn(move || {
            for line in lines.lines() {
                *text.lock().unwrap_or_else(PoisonError::into_inner) += &(line.expect("it is UTF-8") + "\n");
            }
        });
        server.port = server.says("listening on http://127.0.0.1:", '/').parse().expect("it is a port");
        server
    }

    /// Waits until it has written a text on standard error, and returns what follows it, up to a character.
    pub fn says(&self, text: &str, end: char) -> String {
        let started = Instant::now();
        loop {
            let said = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some((value, _)) = said.split_once(text).and_then(|(_, rest)| rest.split_once(end)) {
                return value.to_owned();
            }
            assert!(started.elapsed() < HANGS_AFTER, "{text:?} was not said\n{said}");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// What it has written on standard error.
    pub fn said(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A request with the token.
    pub fn request(&self, method: &str) -> Request {
        Request::to(self.port, method, "/mcp")
            .header("Authorization", &format!("Bearer {TOKEN}"))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// A message of the protocol.
    pub fn post(&self, message: &Value) -> Request {
        self.request("POST").body(message.to_string())
    }

    /// Begins a session, and returns its id.
    pub fn session(&self) -> String {
        let params = initialization("2025-11-25");
        let answer = self.post(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").expect("a session has an id");
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&begun).header("Mcp-Session-Id", &session).send().status, 202);
        session
    }

    /// Sends a request within a session, and returns its answer.
    pub fn in_session(&self, session: &str, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.post(&message).header("Mcp-Session-Id", session).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.message()
    }

    /// Runs a script within a session, and returns the structured content of the result.
    pub fn run(&self, session: &str, source: &str) -> Value {
        let params = json!({ "name": "run_script", "arguments": { "source": source } });
        self.in_session(session, "tools/call", params)["result"]["structuredContent"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It deletes its temporary folder when it is asked to end.
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// A request that is sent on a connection of its own.
#[derive(Clone)]
pub struct Request {
    port: u16,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request to a server of this machine.
    #[must_use]
    pub fn to(port: u16, method: &str, path: &str) -> Self {
        let request = Self { port, method: method.into(), path: path.into(), headers: Vec::new(), body: Vec::new() };
        request.header("Host", &format!("127.0.0.1:{port}"))
    }

    /// Sets a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Removes a header.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(header, _)| !header.eq_ignore_ascii_case(name));
        self
    }

    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it, without waiting for the answer.
    pub fn begin(&self) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(HANGS_AFTER)).expect("a time limit can be set");
        let mut head = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        self.headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        if !self.headers.iter().any(|(name, _)| name == "Transfer-Encoding") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        // A server may refuse a request before it has read all of it.
        let _ = stream.write_all((head + "\r\n").as_bytes()).and_then(|()| stream.write_all(&self.body));
        stream
    }

    pub fn send(&self) -> Answer {
        let mut bytes = Vec::new();
        let read = self.begin().read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {read:?} {text}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("it has a status");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    /// With the marks of its chunks, if it has chunks.
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
    }

    /// Its last message: of a stream of events, or its whole body.
    pub fn message(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("there is no message: {self:?}"))
    }

    pub fn messages(&self) -> Vec<Value> {
        let lines = self.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        lines.filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
    }
}
