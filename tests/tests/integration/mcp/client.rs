//! A client of the tests' own: it writes lines, and reads each line of standard output as a message.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use ghost_tests::{folder::Folder, program};
use serde_json::{Value, json};

/// A server that says nothing for so long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(60);

/// `ghost mcp` in a folder, with as little around it as the tests can give it.
pub fn command(folder: &Folder, flags: &[&str]) -> Command {
    let mut command = Command::new(program::binary());
    command.arg("mcp").args(flags).current_dir(folder.path()).env_clear().env("HOME", folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder with a workspace.
pub fn workspace() -> Folder {
    let folder = Folder::new();
    folder.ghost(["init"]).finish().exits(0);
    folder
}

/// A client and its server.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    /// The lines of standard output.
    lines: Receiver<String>,
    stderr: JoinHandle<String>,
    /// Messages that were read while the client waited for another one.
    pub others: VecDeque<Value>,
    next_id: i64,
}

impl Client {
    /// Starts a server, without a session.
    pub fn start(folder: &Folder, flags: &[&str]) -> Self {
        let mut client = Self::unread(folder, flags);
        client.read();
        client
    }

    /// Starts a server whose output is not read before [`Client::read`].
    pub fn unread(folder: &Folder, flags: &[&str]) -> Self {
        let mut child = command(folder, flags).spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let mut stderr = child.stderr.take().expect("it is a pipe");
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("standard error is UTF-8");
            text
        });
        Self { child, stdin, lines: mpsc::channel().1, stderr, others: VecDeque::new(), next_id: 0 }
    }

    /// Begins to read.
    pub fn read(&mut self) {
        let stdout = BufReader::new(self.child.stdout.take().expect("it is a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.expect("standard output is UTF-8")).is_err() {
                    return;
                }
            }
        });
        self.lines = lines;
    }

    /// Starts a server and a session.
    pub fn connect(folder: &Folder, flags: &[&str]) -> Self {
        let mut client = Self::start(folder, flags);
        client.initialize("2025-11-25");
        client
    }

    /// Begins a session, and returns what the server says of itself.
    pub fn initialize(&mut self, version: &str) -> Value {
        let result = self.result("initialize", initialization(version));
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        result
    }

    /// The number of the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a message.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Writes bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().expect("it is open").write_all(bytes).expect("the server reads");
    }

    /// Sends a request, and returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    /// Sends a request, and returns its whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Sends a request, and returns its result.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        if let Some(at) = self.others.iter().position(|message| is_answer(message, id)) {
            return self.others.remove(at).expect("it was found");
        }
        loop {
            let message = self.line().map(|line| parsed(&line)).expect("the server answers before it ends");
            if is_answer(&message, id) {
                return message;
            }
            self.others.push_back(message);
        }
    }

    /// The next message.
    pub fn next(&mut self) -> Value {
        self.others.pop_front().unwrap_or_else(|| parsed(&self.line().expect("the server has not ended")))
    }

    /// The next line of standard output; none at its end.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(HANGS_AFTER) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server hangs"),
        }
    }

    /// Calls a tool, and returns its result. The text must be the same JSON as the structured content.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", json!({ "name": tool, "arguments": arguments }));
        let text = result["content"][0]["text"].as_str().expect("the result has a text");
        assert_eq!(parsed(text), result["structuredContent"], "{result}");
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
        result
    }

    /// Runs a script, and returns the structured content of its result.
    #[track_caller]
    pub fn run(&mut self, source: &str) -> Value {
        self.call("run_script", json!({ "source": source }))["structuredContent"].clone()
    }

    /// Runs a script that succeeds, and returns its value.
    #[track_caller]
    pub fn value(&mut self, source: &str) -> Value {
        let result = self.run(source);
        assert!(result["error"].is_null(), "{result}");
        result["value"].clone()
    }

    /// Closes standard input, and returns how the server ended, the rest of its output, and its standard error.
    pub fn end(mut self) -> (ExitStatus, Vec<Value>, String) {
        self.stdin = None;
        let mut rest = Vec::from(std::mem::take(&mut self.others));
        while let Some(line) = self.line() {
            rest.push(parsed(&line));
        }
        (self.wait(), rest, self.stderr.join().expect("standard error was read"))
    }

    /// Ends a server that has nothing more to say, and fails if it did not end well.
    #[track_caller]
    pub fn ends_well(self) {
        let (status, rest, stderr) = self.end();
        assert!(status.success() && rest.is_empty() && stderr.is_empty(), "{status}\n{rest:?}\n{stderr}");
    }

    /// Closes standard input while nobody reads the output, and waits for the end of the server.
    pub fn stops_without_reading(mut self) {
        let _unread = self.child.stdout.take();
        self.stdin = None;
        self.wait();
    }

    fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            if started.elapsed() > HANGS_AFTER {
                self.child.kill().expect("it can be killed");
                panic!("the server does not end");
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn is_answer(message: &Value, id: i64) -> bool {
    message["id"] == id && message["method"].is_null()
}

/// The parameters of `initialize`.
pub fn initialization(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

/// What each request has in `_meta` in the version of the protocol without `initialize`.
pub fn metadata() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A line of standard output, which is always a message.
#[track_caller]
pub fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
}
