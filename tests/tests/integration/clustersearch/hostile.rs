//! Servers that do not answer as a cluster: each call ends in time with an error, and with bounded memory.

use std::{process::Command, time::Duration};

use ghost_tests::servers::gateway::{Gateway, Reply};

use super::{
    caller::{Caller, Given, each_method},
    elasticsearch,
};

const TIME: Duration = Duration::from_secs(4);

fn head(lines: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{lines}\r\n").into_bytes()
}

fn json(body: impl Into<String>) -> Reply {
    Reply::Own(200, "application/json", body.into())
}

/// Replies that are no answers, with the codes that are allowed for them.
fn replies() -> Vec<(&'static str, Reply, &'static [&'static str])> {
    let deep = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let endless = |lines: &str, piece: Vec<u8>| Reply::Endless(head(lines), piece);
    let spaces = || b" ".repeat(64 << 10);
    let chunk = [format!("{:x}\r\n", 64 << 10).as_bytes(), &spaces(), b"\r\n"].concat();
    let unavailable: &[&str] = &["UNAVAILABLE"];
    vec![
        ("no JSON", json("<html>"), unavailable),
        ("an empty body", json(""), unavailable),
        ("a half", json("{\"hits\":"), unavailable),
        ("an array", json("[]"), unavailable),
        ("a number", json("1"), unavailable),
        ("another object", json("{\"acknowledged\":1,\"x\":{}}"), unavailable),
        ("members of other types", json("{\"hits\":[],\"items\":{},\"found\":\"yes\",\"version\":7}"), unavailable),
        ("deep JSON", json(deep(100_000)), unavailable),
        ("deep hits", json(format!("{{\"hits\":{}}}", deep(30_000))), unavailable),
        ("too few items", json("{\"items\":[]}"), unavailable),
        (
            "too many items",
            json(format!("{{\"items\":[{}{{}}]}}", "{\"index\":{\"status\":201}},".repeat(100_000))),
            unavailable,
        ),
        (
            "no UTF-8",
            Reply::Raw(
                [head("content-type: application/json\r\nconnection: close\r\n"), vec![b'{', 0xff, 0xfe]].concat(),
            ),
            unavailable,
        ),
        ("another type", Reply::Own(200, "text/html", "{}".into()), unavailable),
        ("no type", Reply::Raw(head("content-length: 2\r\n\r\n{}")), unavailable),
        ("an error that is not JSON", Reply::Own(500, "text/plain", "canary".repeat(1_000)), &["BACKEND"]),
        ("an error of a gateway", Reply::Own(502, "text/html", "<h1>".into()), unavailable),
        ("an error without a reason", Reply::Own(400, "application/json", "{}".into()), &["BACKEND"]),
        ("a deep error", Reply::Own(400, "application/json", deep(100_000)), &["BACKEND", "UNAVAILABLE"]),
        ("a missing page", Reply::Own(404, "text/html", "<h1>".into()), unavailable),
        (
            "another protocol",
            Reply::Raw(b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: canary\r\n\r\n".to_vec()),
            unavailable,
        ),
        ("a redirect", Reply::Own(301, "application/json", "{}".into()), unavailable),
        ("a body without end", endless("content-type: application/json\r\n", spaces()), &["LIMIT"]),
        (
            "chunks without end",
            endless("content-type: application/json\r\ntransfer-encoding: chunked\r\n", chunk),
            &["LIMIT"],
        ),
        (
            "an error without end",
            Reply::Endless(b"HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\n\r\n".to_vec(), spaces()),
            &["BACKEND"],
        ),
        (
            "headers without end",
            Reply::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x-more: canary\r\n".repeat(100)),
            unavailable,
        ),
        ("a line without end", Reply::Endless(b"HTTP/1.1 200 ".to_vec(), spaces()), unavailable),
        (
            "a body that stops",
            Reply::Stall(head("content-type: application/json\r\ncontent-length: 100\r\n\r\n{")),
            unavailable,
        ),
        (
            "a length that lies",
            Reply::Raw(head("content-type: application/json\r\ncontent-length: 18446744073709551615\r\n\r\n{}")),
            unavailable,
        ),
        (
            "two lengths",
            Reply::Raw(head("content-type: application/json\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}")),
            unavailable,
        ),
        ("nothing", Reply::Raw(Vec::new()), unavailable),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_holds_a_call_or_its_memory() {
    let Some(server) = elasticsearch() else { return };
    for (what, reply, allowed) in replies() {
        let gateway = Gateway::plain(server);
        gateway.rule(move |_| reply.clone());
        let caller = Caller::plain(gateway.port).within(TIME);
        for (method, call) in each_method("hostile") {
            let (given, time) = caller.timed(&call).await;
            assert!(time < TIME, "{what}, {method}: {time:?}");
            match given {
                Given::Error { code, message, .. } => {
                    assert!(allowed.contains(&code.as_str()), "{what}, {method}: {code} {message}");
                    assert_eq!(message.contains("redirect"), what == "a redirect", "{what}, {method}: {message}");
                    assert!(
                        !message.contains("canary") && !message.contains("127.0.0.1"),
                        "{what}, {method}: {message}"
                    );
                }
                Given::Value(value) => panic!("{what}, {method}: {value}"),
                Given::Time => panic!("{what}, {method}: it took all of its time"),
            }
        }
    }
}

/// An answer that every method accepts.
const ACCEPTED: &str = r#"{"name":"n","cluster_name":"c","cluster_uuid":"u","version":{"number":"8.0.0"},"acknowledged":true,
    "result":"created","found":true,"_source":{},"items":[{"index":{"status":201}},{"index":{"status":201}}],"hits":{}}"#;

fn compressed(text: &str) -> Vec<u8> {
    let command = ["-c", "printf %s \"$1\" | gzip -c", "gzip", text];
    let made = Command::new("bash").args(command).output().expect("bash runs");
    assert!(made.status.success() && made.stdout.starts_with(&[0x1f, 0x8b]), "{made:?}");
    made.stdout
}

/// A short one may be one of gigabytes when it is decompressed.
#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_answer_is_not_accepted() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    let caller = Caller::plain(gateway.port);
    let gzip = compressed(ACCEPTED);
    let lines =
        format!("content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n", gzip.len());
    let answer = [head(&lines), gzip].concat();
    for (method, call) in each_method("compressed") {
        gateway.rule(|_| json(ACCEPTED));
        let given = caller.call(&call).await;
        assert!(matches!(given, Given::Value(_)), "{method}: {given:?}");
        let answer = answer.clone();
        gateway.rule(move |_| Reply::Raw(answer.clone()));
        assert_eq!(caller.call(&call).await.error().0, "UNAVAILABLE", "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_millions_of_members_is_one_without_a_reason() {
    let Some(server) = elasticsearch() else { return };
    let members: String = (0..1_000_000).map(|n| format!(",\"m{n}\":0")).collect();
    let error = format!("{{\"type\":\"some_exception\",\"reason\":\"no room\"{members}}}");
    let item = format!("{{\"index\":{{\"status\":400,\"error\":{error}}}}}");
    let gateway = Gateway::plain(server);
    gateway.rule(move |_| json(format!("{{\"items\":[{item},{item}]}}")));
    let [.., (_, bulk), _] = each_method("hostile");
    let (given, time) = Caller::plain(gateway.port).within(TIME).timed(&bulk).await;
    let reason = "the server answered with status 400 without a reason";
    let value = given.value();
    assert_eq!(value["failed"], 2);
    assert!((0..2).all(|n| value["errors"][n]["reason"] == reason), "{}", value["errors"]);
    assert!(time < TIME, "{time:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed() {
    let Some(server) = elasticsearch() else { return };
    let (gateway, other) = (Gateway::plain(server), Gateway::plain(server));
    let place = format!("http://127.0.0.1:{}/", other.port);
    for status in [301, 302, 303, 307, 308] {
        let place = place.clone();
        gateway.rule(move |_| {
            Reply::Raw(
                format!("HTTP/1.1 {status} Moved\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n").into_bytes(),
            )
        });
        for (method, call) in each_method("redirected") {
            let given = Caller::plain(gateway.port).call(&call).await;
            let (code, message) = given.error();
            assert!(code == "UNAVAILABLE" && message.contains("redirect"), "{method}: {given:?}");
        }
    }
    assert!(other.take_asked().is_empty());
}
