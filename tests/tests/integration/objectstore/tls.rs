//! Servers that are not what the secret says: another protocol, TLS or none, another certificate.

use std::{fs, net::TcpListener};

use ghost_tests::servers::{
    self, objectstore,
    proxy::{Fault, Proxy},
};
use serde_json::{Value, json};

use super::caller::Caller;

fn secret(endpoint: &str, ca: Option<&str>) -> String {
    json!({ "accessKeyId": "canary-key", "secretAccessKey": "canary-secret", "endpoint": endpoint, "ca": ca })
        .to_string()
}

/// The code and the message of a call with a secret.
async fn fails(connection: &str) -> (String, String) {
    let reported = Caller::new(connection).await.call("listBuckets", json!([])).await;
    let code = reported.code().to_owned();
    let error = reported.outcome.expect_err("the connection fails");
    assert_eq!(error["details"]["unknownOutcome"], Value::Null);
    (code, error["message"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_verified() {
    let Some(server) = servers::or_skip(objectstore::minio_with_tls()) else { return };
    let Some(plain) = servers::or_skip(objectstore::minio()) else { return };
    let ca = fs::read_to_string(&server.authority).expect("a certificate");
    let (host, address) = (format!("https://localhost:{}", server.port), format!("https://127.0.0.1:{}", server.port));
    let known = json!({
        "accessKeyId": server.access, "secretAccessKey": server.secret, "endpoint": host, "ca": ca
    });
    let caller = Caller::new(known.to_string()).await;
    caller.does("createBucket", json!(["tls"])).await;
    caller.does("putObjectText", json!(["tls", "key", "text"])).await;
    caller.folder.write("large", vec![b'x'; 20 << 20]);
    caller.does("putObject", json!(["tls", "large", "large"])).await;
    caller.does("getObject", json!(["tls", "large", "down"])).await;
    let down = fs::read(caller.folder.path().join("down")).expect("it was downloaded");
    assert_eq!(down.len(), 20 << 20);
    let unavailable = |message: &str| ("UNAVAILABLE".to_owned(), message.to_owned());
    let unknown = "the server's certificate is not signed by a trusted authority of the system, or of the member ca of the secret";
    assert_eq!(fails(&secret(&host, None)).await, unavailable(unknown));
    assert_eq!(fails(&secret(&address, Some(&ca))).await, unavailable("the server's certificate is for another host"));
    let other = "TLS failed: the server violated the protocol";
    let to_plain = fails(&secret(&format!("https://localhost:{}", plain.port), Some(&ca))).await;
    assert_eq!(to_plain, unavailable(other));
    // A server with TLS answers plain HTTP with an error of its own.
    let (code, _) = fails(&secret(&format!("http://localhost:{}", server.port), None)).await;
    assert!(matches!(code.as_str(), "UNAVAILABLE" | "BACKEND"), "{code}");
    let (code, message) = fails(&secret(&host, Some("no PEM"))).await;
    assert_eq!((code.as_str(), message.contains("PEM")), ("SECRET_INVALID", true), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_another_protocol_is_told() {
    let Some(server) = servers::or_skip(objectstore::minio()) else { return };
    let proxy = Proxy::before(server.port);
    proxy.set(Fault::Garbage);
    let (code, message) = fails(&secret(&format!("http://localhost:{}", proxy.port), None)).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("UNAVAILABLE", "protocol error: the answer is not that of an S3 server")
    );
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let refused = fails(&secret(&format!("http://127.0.0.1:{closed}"), None)).await;
    assert_eq!(refused, ("UNAVAILABLE".to_owned(), "the host refused the connection".to_owned()));
    let missing = fails(&secret("http://no-such-host.invalid", None)).await;
    assert_eq!(missing, ("UNAVAILABLE".to_owned(), "the host can't be reached".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_credentials_are_told_apart() {
    for server in [objectstore::minio(), objectstore::versitygw()] {
        let Some(server) = servers::or_skip(server) else { continue };
        let of = |access: &str, secret: &str| format!("s3://{access}:{secret}@127.0.0.1:{}?tls=false", server.port);
        let (code, message) = fails(&of("unknown", "unknown")).await;
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("ACCESS_DENIED", "the server does not know the access key of the secret")
        );
        let (code, message) = fails(&of(&server.access, "wrong")).await;
        assert_eq!(
            (code.as_str(), message.as_str()),
            ("ACCESS_DENIED", "the server refused the secret access key of the secret")
        );
    }
}
