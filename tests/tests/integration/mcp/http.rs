//! The protocol over HTTP: who may use it, and what it refuses.

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    thread,
    time::{Duration, Instant},
};

use ghost_tests::folder::Folder;
use serde_json::{Value, json};

use super::{
    client::{initialization, metadata, workspace},
    http_client::{Request, Server, TOKEN},
};

const ONE: &str = "export const main = () => 1";

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
}

/// A request of the version of the protocol that has no sessions.
fn stateless(server: &Server, source: &str) -> Request {
    let arguments = json!({ "source": source });
    let mut params = json!({ "name": "run_script", "arguments": arguments, "_meta": metadata() });
    params["_meta"]["progressToken"] = json!("p");
    let request = server.post(&json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }));
    let request = request.header("MCP-Protocol-Version", "2026-07-28");
    request.header("Mcp-Method", "tools/call").header("Mcp-Name", "run_script")
}

#[test]
fn a_session_runs_scripts_until_it_is_ended() {
    let folder = workspace();
    let server = Server::start(&folder, &[]);
    let session = server.session();
    assert_eq!(server.run(&session, "export const main = () => { g.store.put('c', 'k', 1); return 7 }")["value"], 7);
    let tools = server.in_session(&session, "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(4), "{tools}");
    assert_eq!(server.request("DELETE").header("Mcp-Session-Id", &session).send().status / 100, 2);
    let after = server.post(&ping()).header("Mcp-Session-Id", &session).send();
    assert_eq!(after.status, 404, "{after:?}");
    let session = server.session();
    assert_eq!(server.run(&session, "export const main = () => g.store.count('c')")["value"], 1);
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"input":{"b":1,"a":2},
        "source":"export const main = (input) => Object.keys(input).join()"}}}"#;
    let ran = server.request("POST").body(message).header("Mcp-Session-Id", &session).send().message();
    assert_eq!(ran["result"]["structuredContent"]["value"], "b,a", "{ran}");
    assert!(!server.said().contains(TOKEN), "{}", server.said());
}

#[test]
fn the_newest_version_has_no_session() {
    let folder = workspace();
    let server = Server::start(&folder, &[]);
    let answer = stateless(&server, ONE).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.header("mcp-session-id").is_none());
    assert_eq!(answer.message()["result"]["structuredContent"]["value"], 1, "{answer:?}");
    let cut = stateless(&server, "export const main = () => 'x'.repeat(30_000)").send();
    assert!(cut.body.contains(r#""structuredContent":{"truncated":true,"#), "{:.300}", cut.body);
}

#[test]
fn only_the_token_opens_the_server() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let ping = server.post(&ping());
    let mut refused = vec![ping.clone().without("Authorization")];
    for given in ["", "Bearer", "Bearer wrong", &format!("Basic {TOKEN}"), &format!("Bearer {TOKEN}x"), TOKEN] {
        refused.push(ping.clone().header("Authorization", given));
    }
    for method in ["GET", "DELETE", "OPTIONS"] {
        refused.push(server.request(method).without("Authorization"));
    }
    for request in refused {
        let answer = request.send();
        assert_eq!(answer.status, 401, "{answer:?}");
        assert_eq!(answer.header("WWW-Authenticate").as_deref(), Some("Bearer"));
        assert!(answer.body.contains("Bearer TOKEN"), "{answer:?}");
    }
    server.session();
}

#[test]
fn a_web_page_can_not_use_the_server() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    for origin in ["https://evil.example", "http://localhost:1", "null", "http://127.0.0.1", "file://"] {
        let answer = server.post(&ping()).header("Origin", origin).send();
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        assert!(answer.body.contains("Origin"), "{answer:?}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "0.0.0.0", "192.168.0.1"] {
        let answer = server.post(&ping()).header("Host", host).send();
        assert_eq!(answer.status, 403, "{host}: {answer:?}");
        assert!(answer.body.contains("Host"), "{answer:?}");
    }
    server.session();
}

#[test]
fn requests_that_are_none_get_a_status_and_a_reason() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let session = server.session();
    let initialize =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialization("2025-11-25") });
    for (request, status, said) in [
        (server.post(&ping()).path("/"), 404, "/mcp"),
        (server.post(&ping()).path("/mcp/../x"), 404, "/mcp"),
        (server.request("PUT"), 405, ""),
        (server.request("POST").body("{"), 400, "-32700"),
        (server.request("POST").body([0xff, 0xfe]), 400, "-32700"),
        (server.request("POST").body(vec![b' '; 9 << 20]), 413, "8388608"),
        (server.request("POST").body("42"), 415, "JSON-RPC"),
        (server.post(&initialize).header("Accept", "text/html"), 406, "application/json"),
        (server.post(&initialize).header("Content-Type", "text/plain"), 415, "application/json"),
        (server.post(&ping()), 400, "Session"),
        (server.post(&ping()).header("Mcp-Session-Id", "unknown"), 404, "Session"),
        (
            server.post(&ping()).header("Mcp-Session-Id", &session).header("MCP-Protocol-Version", "1999-01-01"),
            400,
            "1999",
        ),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.body.contains(said), "{answer:?}");
    }
    let unknown = server.in_session(&session, "tools/unknown", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    assert_eq!(server.run(&session, ONE)["value"], 1);
}

#[test]
fn a_body_without_a_length_is_limited_too() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let chunks = server.request("POST").header("Transfer-Encoding", "chunked");
    let mut stream = chunks.begin();
    let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
    for _ in 0..20 {
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
    let mut answer = String::new();
    // The rest of the body may reset the connection after the answer.
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains("413"), "{answer}");
    server.session();
}

#[test]
fn sessions_are_limited() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let sessions: Vec<_> = (0..64).map(|_| server.session()).collect();
    let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialization("2025-11-25") });
    let refused = server.post(&message).send();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.body.contains("64"), "{refused:?}");
    assert_eq!(server.run(&sessions[0], ONE)["value"], 1);
    server.request("DELETE").header("Mcp-Session-Id", &sessions[1]).send();
    assert_eq!(server.run(&server.session(), ONE)["value"], 1);
}

/// Sends a request to run a script, and returns its connection when the script has written `began`.
fn began(request: &Request) -> TcpStream {
    let mut stream = request.begin();
    let (mut read, mut chunk) = (Vec::new(), [0; 1024]);
    while !String::from_utf8_lossy(&read).contains("began") {
        let length = stream.read(&mut chunk).expect("the server answers");
        assert!(length > 0, "{}", String::from_utf8_lossy(&read));
        read.extend_from_slice(&chunk[..length]);
    }
    stream
}

#[test]
fn the_run_of_a_client_that_is_gone_is_stopped() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--log", "log", "--timeout", "10m"]);
    let endless = "export const main = () => { console.log('began'); for (;;) {} }";
    began(&stateless(&server, endless)).shutdown(Shutdown::Both).unwrap();
    let mut params = json!({ "name": "run_script", "arguments": { "source": endless } });
    params["_meta"] = json!({ "progressToken": 1 });
    let call = server.post(&json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params }));
    // A session can be resumed, so its run is stopped when the session is ended.
    let session = server.session();
    let _ended = began(&call.clone().header("Mcp-Session-Id", &session));
    server.request("DELETE").header("Mcp-Session-Id", &session).send();
    let session = server.session();
    let _cancelled = began(&call.header("Mcp-Session-Id", &session));
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 3 } });
    assert_eq!(server.post(&cancel).header("Mcp-Session-Id", &session).send().status, 202);
    let started = Instant::now();
    loop {
        let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        if log.matches("CANCELLED").count() == 3 {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{log}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_client_that_does_not_read_delays_no_other() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let large = stateless(&server, "export const main = () => 'x'.repeat(20_000)");
    let unread: Vec<_> = (0..40).map(|_| large.begin()).collect();
    assert_eq!(server.run(&server.session(), ONE)["value"], 1);
    drop(unread);
    assert_eq!(server.run(&server.session(), ONE)["value"], 1);
}

#[test]
fn clients_run_in_parallel() {
    let folder = workspace();
    let server = Server::start(&folder, &[]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let session = server.session();
                let meet = "export async function main() {
                    g.store.put('here', crypto.randomUUID(), 1);
                    while (g.store.count('here') < 8) await new Promise((done) => setTimeout(done, 5));
                }";
                let met = server.run(&session, meet);
                assert!(met["error"].is_null(), "{met}");
                for _ in 0..5 {
                    let added = server
                        .run(&session, "export const main = () => g.store.update('c', 'n', (n = 0) => n + 1).data");
                    assert!(added["error"].is_null(), "{added}");
                }
            });
        }
    });
    let total = server.run(&server.session(), "export const main = () => g.store.get('c', 'n').data");
    assert_eq!(total["value"], 40);
}

#[test]
fn the_token_is_generated_or_read_from_a_file() {
    let folder = Folder::new();
    let server = Server::with_token(&folder, &[], None);
    let token = server.says("token: ", '\n');
    assert!(token.len() >= 43, "{token}");
    assert_eq!(server.post(&ping()).send().status, 401);
    let with = |token: &str| server.post(&ping()).header("Authorization", &format!("Bearer {token}")).send().status;
    assert_ne!(with(&token), 401);
    folder.write("token", format!("{TOKEN}\n"));
    let server = Server::with_token(&folder, &["--token-file", "token"], Some("another-token-0123456789"));
    server.session();
    folder.write("short", "short");
    for (flags, said) in [
        (&["--http", "0", "--token-file", "short"][..], "16 characters"),
        (&["--http", "0", "--token-file", "missing"], "missing"),
        (&["--http", "0.0.0.0:0"], "--allow-remote"),
        (&["--http", "192.0.2.1:1", "--allow-remote"], "192.0.2.1:1"),
        (&["--http", "nonsense"], "127.0.0.1:8000"),
        (&["--allow-remote"], "--http"),
    ] {
        folder.ghost(["mcp"].into_iter().chain(flags.iter().copied())).finish().fails_clearly(2).says(said);
    }
}

#[test]
fn another_name_of_the_server_is_allowed_by_an_option() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--allow-host", "ghost.example"]);
    let params = initialization("2025-11-25");
    let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    assert_eq!(server.post(&message).header("Host", "ghost.example").send().status, 200);
    assert_eq!(server.post(&message).header("Host", "other.example").send().status, 403);
}
