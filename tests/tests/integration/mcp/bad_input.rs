//! Messages that are none, or come at the wrong time: each gets a clear error, and the server goes on.

use ghost_tests::{folder::Folder, machine};
use serde_json::{Value, json};

use super::client::{Client, metadata};

/// Sends a line, and returns the error that answers it.
#[track_caller]
fn refused(client: &mut Client, line: &[u8]) -> Value {
    client.send_bytes(line);
    client.send_bytes(b"\n");
    let answer = client.next();
    assert!(answer["error"].is_object(), "{answer}");
    answer
}

#[test]
fn a_line_that_is_no_message_gets_an_error() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    for (line, code, said) in [
        (&b"{"[..], -32700, "not JSON"),
        (b"hello", -32700, "not JSON"),
        (b"\xff\xfe{}", -32700, "not JSON"),
        (b"\"\\ud800\"", -32700, "not JSON"),
        (b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", -32700, "not JSON"),
        (b"42", -32600, "not a JSON-RPC"),
        (b"null", -32600, "not a JSON-RPC"),
        (b"{}", -32600, "not a JSON-RPC"),
        (b"[]", -32600, "batches"),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, "batches"),
        (br#"{"id":1,"method":"ping"}"#, -32600, "not a JSON-RPC"),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, "not a JSON-RPC"),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, "not a JSON-RPC"),
        (br#"{"jsonrpc":"2.0","id":1,"method":42}"#, -32600, "not a JSON-RPC"),
    ] {
        let answer = refused(&mut client, line);
        let shown = String::from_utf8_lossy(line);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{shown}: {answer}");
        assert_eq!(client.result("ping", json!({})), json!({}), "{shown}");
    }
    // Nobody waits for an answer to these.
    client.send_bytes(b"\n   \r\n");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/unknown" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": {} }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 999 } }));
    assert_eq!(client.result("ping", json!({})), json!({}));
    client.ends_well();
}

#[test]
fn a_request_that_the_server_does_not_have_gets_an_error() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    for (method, params, code, said) in [
        ("tools/unknown", json!({}), -32601, "tools/unknown"),
        ("__proto__", json!({}), -32601, "__proto__"),
        ("tools/call", json!({}), -32602, "tools/call"),
        ("tools/call", json!({ "name": 42 }), -32602, "tools/call"),
        ("tools/call", json!({ "name": "rm", "arguments": {} }), -32602, "run_script"),
        ("resources/read", json!({}), -32602, "resources/read"),
        ("prompts/get", json!({ "name": "unknown" }), -32602, "explore_workspace"),
    ] {
        let answer = client.request(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{method}: {answer}");
    }
    // A model can correct its arguments, so they are an error of the tool.
    for (tool, arguments, said) in [
        ("run_script", json!({}), "source"),
        ("run_script", json!({ "source": 42 }), "string"),
        ("run_script", json!({ "source": "", "sourcecode": "" }), "sourcecode"),
        ("check_script", json!({ "code": "" }), "code"),
        ("search_docs", json!({ "query": "x", "limit": "y" }), "\"y\""),
        ("describe_api", json!({ "namespace": 1 }), "string"),
    ] {
        let result = client.call(tool, arguments);
        assert_eq!(result["isError"], true);
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], "INVALID_ARGUMENT");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said), "{tool}: {message}");
    }
    client.ends_well();
}

#[test]
fn before_the_session_only_requests_that_begin_one_are_served() {
    let folder = Folder::new();
    let mut client = Client::start(&folder, &[]);
    for method in ["tools/list", "tools/call", "resources/list", "unknown"] {
        let answer = client.request(method, json!({ "name": "run_script" }));
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("initialize"), "{answer}");
    }
    for params in [json!({}), json!({ "protocolVersion": 7 })] {
        let answer = client.request("initialize", params);
        assert!(answer["error"]["message"].as_str().unwrap().contains("protocolVersion"), "{answer}");
    }
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 9, "result": {} }));
    refused(&mut client, b"no json");
    let mut unknown = metadata();
    unknown["io.modelcontextprotocol/protocolVersion"] = json!("2999-01-01");
    let answer = client.request("tools/list", json!({ "_meta": unknown }));
    assert!(answer["error"].is_object(), "{answer}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(client.result("ping", json!({})), json!({}));
    client.initialize("2025-11-25");
    assert_eq!(client.value("export const main = () => 1"), 1);
    client.ends_well();
}

#[test]
fn a_client_that_says_nothing_ends_the_server_well() {
    let folder = Folder::new();
    Client::start(&folder, &[]).ends_well();
    let folder = Folder::new();
    let mut client = Client::start(&folder, &[]);
    client.send_bytes(b"{\"jsonrpc\":");
    client.ends_well();
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let source = "export const main = () => new Promise((done) => setTimeout(() => done('slow'), 300))";
    let id = client.begin("tools/call", json!({ "name": "run_script", "arguments": { "source": source } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
    let refused = client.next();
    assert!(refused["error"]["message"].as_str().unwrap().contains("has no answer yet"), "{refused}");
    assert_eq!(client.answer(id)["result"]["structuredContent"]["value"], "slow");
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
    assert_eq!(client.next()["result"], json!({}));
    client.ends_well();
}

#[test]
fn a_message_that_is_too_long_is_not_buffered() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    assert_eq!(client.value("export const main = () => 1"), 1);
    let before = machine::peak_memory(client.id()).expect("the server runs");
    client.send_bytes(
        br#"{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"run_script","arguments":{"source":""#,
    );
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        client.send_bytes(&chunk);
    }
    let grown = machine::peak_memory(client.id()).expect("the server runs") - before;
    assert!(grown < 40 << 20, "{} MiB for a line of 100 MiB", grown >> 20);
    let answer = refused(&mut client, br#""}}}"#);
    assert_eq!(answer["id"], "big", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("limit"), "{answer}");
    assert_eq!(client.value("export const main = () => 2"), 2);
    // One that never ends is no reason to wait.
    client.send_bytes(&chunk);
    client.ends_well();
}

#[test]
fn a_client_that_does_not_read_delays_nothing_but_itself() {
    let folder = Folder::new();
    let mut client = Client::unread(&folder, &[]);
    let call = |id: usize| {
        let arguments = json!({ "source": "export const main = () => 'x'.repeat(20_000)" });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "run_script", "arguments": arguments } })
    };
    let params = super::client::initialization("2025-11-25");
    client.send(&json!({ "jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params }));
    // Dozens of answers of 40 KB: more than a pipe holds.
    (0..100).for_each(|id| client.send(&call(id)));
    let memory = machine::peak_memory(client.id()).expect("the server runs");
    assert!(memory < 400 << 20, "{} MiB", memory >> 20);
    client.read();
    let mut answers = 0;
    while answers < 101 {
        let answer = client.next();
        assert!(answer["result"].is_object(), "{answer}");
        answers += 1;
    }
    client.ends_well();
    // A client that does not even read the end.
    let mut client = Client::unread(&folder, &[]);
    let params = super::client::initialization("2025-11-25");
    client.send(&json!({ "jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params }));
    (0..60).for_each(|id| client.send(&call(id)));
    client.stops_without_reading();
}

/// Messages with bytes changed, removed and inserted. The server answers, or does not, and goes on.
#[test]
fn messages_that_are_damaged_anywhere_end_nothing() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &["--timeout", "1s"]);
    let source = "export const main = (input) => input";
    let params = json!({ "name": "run_script", "arguments": { "source": source, "input": [1, "a"] }, "_meta": { "progressToken": 1 } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }),
        json!({ "jsonrpc": "2.0", "id": "x", "method": "tools/list", "params": { "_meta": metadata() } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5, "reason": "none" } }),
        json!({ "jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": { "uri": "ghost://g.d.ts" } }),
        json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": super::client::initialization("2025-11-25") }),
    ];
    for _ in 0..2_000 {
        let mut line = messages[random.usize(..messages.len())].to_string().into_bytes();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..line.len());
            match random.u8(..3) {
                0 => line[at] = random.u8(..),
                1 => drop(line.remove(at)),
                _ => line.insert(at, random.u8(..)),
            }
        }
        line.push(b'\n');
        client.send_bytes(&line);
    }
    let answer = client.request("tools/list", json!({ "_meta": metadata() }));
    assert!(answer["result"].is_object(), "{answer}");
    let (status, _, stderr) = client.end();
    assert!(status.success() && stderr.is_empty(), "{status}\n{stderr}");
}
