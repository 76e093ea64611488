//! Nothing of a secret is ever seen: not when it is wrong, not when the server refuses it, not when a request fails.

use std::net::TcpListener;

use ghost_tests::{
    canary,
    folder::{Finished, Folder},
    servers::{
        self,
        gateway::{Certificate, Gateway},
        objectstore,
        proxy::{Fault, Proxy},
    },
};

use crate::external::failing;

/// Part of every field.
const CANARY: &str = "canary+/canary";

/// The calls of the script.
const CALLS: [&str; 5] = [
    "g.objectstore.listBuckets('db')",
    "g.objectstore.getObjectText('db', 'bucket', 'key')",
    "g.objectstore.putObjectText('db', 'bucket', 'key', 'text')",
    "g.objectstore.copyObject('db', 'bucket', 'key', 'bucket', 'copy')",
    "g.objectstore.bucketExists('db', 'bucket')",
];

#[track_caller]
fn shows_nothing(finished: &Finished, connection: &str) {
    canary::shows_none(finished, &["canary", CANARY], connection);
}

/// Runs the script with a secret: every call must fail, and nothing be seen.
#[track_caller]
fn fails(connection: &str) {
    let folder = Folder::new();
    let run = folder.script(["--verbose", "--timeout", "20s"], &failing(&CALLS));
    let finished = run.env("GHOST_SECRET_DB", connection).finish().exits(1);
    assert!(!finished.stderr.contains("no failure"), "{connection}\n{finished}");
    shows_nothing(&finished, connection);
    let checked = folder.ghost(["secret", "check", "db"]).env("GHOST_SECRET_DB", connection).finish();
    canary::check_shows_none(checked, &["canary", CANARY], connection);
}

#[test]
fn no_failure_shows_a_part_of_a_secret() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let Some(tls) = servers::or_skip(objectstore::minio_with_tls()) else { return };
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let (port, tls_port) = (server.port, tls.port);
    let login = "canary%2B%2Fcanary";
    let json = |endpoint: &str, more: &str| {
        format!(r#"{{"accessKeyId":"canary","secretAccessKey":"{CANARY}","endpoint":"{endpoint}"{more}}}"#)
    };
    let token = format!("sessionToken={login}");
    let secrets = [
        "canary".to_owned(),
        "s3://canary".into(),
        "s3://canary:canary".into(),
        "s3://canary@canary".into(),
        format!("s3://canary:{login}@h/canary"),
        format!("s3://canary:{CANARY}@h"),
        format!("s3://canary:{login}%zz@h"),
        format!("s3://canary:{login}%@h"),
        format!("s3://canary:{login}@h:canary"),
        format!("s3://canary:{login}@h?canary=canary"),
        format!("s3://canary:{login}@h?tls=canary"),
        format!("s3://canary:{login}@h?region=can/ary"),
        format!("s3://canary:{login}@canary.invalid"),
        format!("s3://canary:{login}@canary.invalid?tls=false&region=canary"),
        format!("s3://canary:{login}@127.0.0.1:{closed}?tls=false"),
        format!("s3://canary:{login}@127.0.0.1:{closed}?{token}"),
        format!("s3://canary:{login}@127.0.0.1:{port}?tls=false"),
        format!("s3://canary:{login}@127.0.0.1:{port}?tls=false&{token}"),
        format!("s3://canary:{login}@127.0.0.1:{port}?tls=false&region=canary"),
        format!("s3://canary:{login}@127.0.0.1:{port}?tls=false&pathStyle=false"),
        format!("s3://{}:{login}@127.0.0.1:{port}?tls=false", server.access),
        format!("s3://{}:{login}@127.0.0.1:{port}?tls=false&{token}", server.access),
        format!("s3://canary:{login}@127.0.0.1:{port}"),
        format!("s3://canary:{login}@localhost:{tls_port}"),
        format!("s3://canary:{login}@localhost:{tls_port}?tls=false"),
        json(&format!("http://127.0.0.1:{port}"), ""),
        json(&format!("http://127.0.0.1:{port}"), r#","canary":"canary""#),
        json(&format!("https://localhost:{tls_port}"), r#","ca":"canary""#),
        json(&format!("https://localhost:{tls_port}"), ""),
        json("ftp://canary", ""),
        json("https://canary.invalid/canary", ""),
        json(&format!("http://127.0.0.1:{port}"), r#","pathStyle":"canary""#),
    ];
    assert!(secrets.len() >= 30, "{}", secrets.len());
    for secret in secrets {
        fails(&secret);
    }
    let proxy = Proxy::before(port);
    for fault in [Fault::Refuse, Fault::Garbage, Fault::ResetAt(0), Fault::ResetAt(20), Fault::HalfCloseAt(20)] {
        proxy.set(fault);
        fails(&format!("s3://canary:{login}@127.0.0.1:{}?tls=false&{token}", proxy.port));
    }
}

#[test]
fn check_says_who_answers() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let folder = Folder::new();
    let check = |secret: &str| folder.ghost(["secret", "check", "db"]).env("GHOST_SECRET_DB", secret).finish();
    let finished = check(server.connection()).exits(0);
    let address = format!("http://127.0.0.1:{}", server.port);
    let connected = format!("g.objectstore at {address}: connected to MinIO, ");
    assert!(finished.stdout.starts_with(&connected), "{finished}");
    assert!(finished.stdout.contains(" bucket"), "{finished}");
    let wrong = format!("s3://{}:wrong@127.0.0.1:{}?tls=false", server.access, server.port);
    check(&wrong)
        .exits(1)
        .says(&format!("g.objectstore at {address}: the server refused the secret access key of the secret"));
    check("s3://key:secret@h:0").exits(1).says("g.objectstore: the host or the port of the secret is not valid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_proves_nothing_is_refused() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let (good, expired, other) = (
        Certificate::new("DNS:localhost", 30),
        Certificate::new("DNS:localhost", -1),
        Certificate::new("DNS:example.com", 30),
    );
    let rows = [
        (&good, other.authority(), "is not signed by a trusted authority"),
        (&expired, expired.authority(), "has expired"),
        (&other, other.authority(), "is for another host"),
    ];
    for (certificate, ca, expected) in rows {
        let gateway = Gateway::tls(server.port, certificate);
        let secret = serde_json::json!({
            "accessKeyId": server.access,
            "secretAccessKey": server.secret,
            "endpoint": format!("https://localhost:{}", gateway.port),
            "ca": ca,
        });
        let folder = Folder::new();
        let run = folder.script(["--timeout", "20s"], "export const main = () => g.objectstore.listBuckets('db')");
        let finished = run.env("GHOST_SECRET_DB", &secret.to_string()).finish().exits(1);
        finished.says("[UNAVAILABLE]").says(expected);
        assert!(gateway.take_asked().is_empty(), "nothing is sent to it");
    }
}
