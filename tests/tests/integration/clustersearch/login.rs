//! Who the server is, and who logs in.

use ghost_tests::{
    folder::Folder,
    servers::{
        gateway::{Certificate, Gateway, Reply},
        proxy::{Fault, Proxy},
    },
};
use serde_json::json;

use super::{caller::Caller, elasticsearch, opensearch};

const DAYS: i32 = 10;

#[tokio::test(flavor = "multi_thread")]
async fn an_api_key_and_a_password_log_in_over_tls() {
    let (Some(elasticsearch), Some(opensearch)) = (elasticsearch(), opensearch()) else { return };
    let certificate = Certificate::new("DNS:localhost", DAYS);
    let ca = certificate.authority();
    for server in [elasticsearch, opensearch] {
        let key = Gateway::tls(server, &certificate).with_login("ApiKey aWQ6a2V5");
        let basic = Gateway::tls(server, &certificate).with_login("Basic YWRhOmxvdmVsYWNl");
        let (key_url, basic_url) = (url(&key), url(&basic));
        let allowed = [
            json!({ "url": key_url, "ca": ca, "apiKey": "aWQ6a2V5" }),
            json!({ "url": key_url, "ca": ca, "apiKey": "id:key" }),
            json!({ "url": basic_url, "ca": ca, "username": "ada", "password": "lovelace" }),
        ];
        for secret in allowed {
            let caller = Caller::new(&secret);
            assert_eq!(caller.call("g.clustersearch.ping('cluster')").await.value(), &json!(true));
            let store = "g.clustersearch.bulk('cluster', 'login', [{ _id: '1', n: 1 }], 1, { refresh: true })";
            assert_eq!(caller.call(store).await.value()["successful"], 1);
        }
        let refused = [
            json!({ "url": key_url, "ca": ca }),
            json!({ "url": key_url, "ca": ca, "apiKey": "aWQ6b3RoZXI=" }),
            json!({ "url": basic_url, "ca": ca, "username": "ada", "password": "wrong-word" }),
        ];
        for secret in refused {
            let given = Caller::new(&secret).call("g.clustersearch.ping('cluster')").await;
            assert_eq!(
                given.error(),
                ("ACCESS_DENIED", "the server refused the credentials of the secret, or requires some")
            );
            assert_eq!(given.detail("status"), 401);
            assert!(!format!("{given:?}").contains("ada") && !format!("{given:?}").contains("Basic"), "{given:?}");
        }
    }
}

fn url(gateway: &Gateway) -> String {
    format!("https://localhost:{}", gateway.port)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_permission_names_the_action_and_no_user() {
    let Some(server) = elasticsearch() else { return };
    let gateway = Gateway::plain(server);
    gateway.rule(|_| {
        let reason = "action [indices:data/read/search] is unauthorized for user [ada-the-user] with roles [reader]";
        let error = json!({ "type": "security_exception", "reason": reason, "root_cause": [{ "type": "security_exception", "reason": reason }] });
        Reply::Own(403, "application/json", json!({ "error": error, "status": 403 }).to_string())
    });
    let given = Caller::plain(gateway.port).call("g.clustersearch.search('cluster', 'a', {})").await;
    let expected = "the identity of the secret lacks a permission (indices:data/read/search)";
    assert_eq!(given.error(), ("ACCESS_DENIED", expected));
    assert!(!format!("{given:?}").contains("ada"), "{given:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_proves_nothing_is_refused() {
    let Some(server) = elasticsearch() else { return };
    let (good, expired, other) = (
        Certificate::new("DNS:localhost", DAYS),
        Certificate::new("DNS:localhost", -1),
        Certificate::new("DNS:example.com", DAYS),
    );
    let rows = [
        (&good, other.authority(), "is not signed by a trusted authority"),
        (&expired, expired.authority(), "has expired"),
        (&other, other.authority(), "is for another host"),
    ];
    for (certificate, ca, expected) in rows {
        let gateway = Gateway::tls(server, certificate);
        let secret = json!({ "url": url(&gateway), "ca": ca, "apiKey": "aWQ6a2V5" });
        let given = Caller::new(&secret).call("g.clustersearch.ping('cluster')").await;
        let (code, message) = given.error();
        assert!(code == "UNAVAILABLE" && message.contains(expected), "{given:?}");
        assert!(gateway.take_asked().is_empty(), "nothing is sent to it");
    }
    // The system's authorities do not know it either.
    let gateway = Gateway::tls(server, &good);
    let given = Caller::new(&json!({ "url": url(&gateway) })).call("g.clustersearch.ping('cluster')").await;
    assert!(given.error().1.contains("is not signed by a trusted authority"), "{given:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_protocol_at_the_port_is_told() {
    let Some(server) = elasticsearch() else { return };
    let tls = Gateway::tls(server, &Certificate::new("DNS:localhost", DAYS));
    let plain_to_tls = Caller::plain(tls.port).call("g.clustersearch.info('cluster')").await;
    let (code, message) = plain_to_tls.error();
    assert!(code == "UNAVAILABLE" && message.contains("it may expect TLS (a url with https://)"), "{plain_to_tls:?}");
    let tls_to_plain = Caller::new(&json!({ "url": format!("https://127.0.0.1:{server}") }));
    let tls_to_plain = tls_to_plain.call("g.clustersearch.ping('cluster')").await;
    let (code, message) = tls_to_plain.error();
    assert!(
        code == "UNAVAILABLE" && message.starts_with("TLS failed: the server does not speak it"),
        "{tls_to_plain:?}"
    );
    let other = Proxy::before(server);
    other.set(Fault::Garbage);
    let given = Caller::plain(other.port).call("g.clustersearch.ping('cluster')").await;
    let (code, message) = given.error();
    assert!(code == "UNAVAILABLE" && message.contains("before the server's first answer in HTTP"), "{given:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ping_is_false_only_where_there_is_no_server() {
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    for url in [
        format!("http://127.0.0.1:{closed}"),
        format!("https://127.0.0.1:{closed}"),
        "http://no-such-host.invalid".to_owned(),
    ] {
        let caller = Caller::new(&json!({ "url": url }));
        assert_eq!(caller.call("g.clustersearch.ping('cluster')").await.value(), &json!(false), "{url}");
        assert_eq!(caller.call("g.clustersearch.info('cluster')").await.error().0, "UNAVAILABLE", "{url}");
    }
}

/// The outcome of `ghost secret check`.
fn checked(secret: &serde_json::Value) -> String {
    let finished =
        Folder::new().ghost(["secret", "check", "cluster"]).env("GHOST_SECRET_CLUSTER", &secret.to_string()).finish();
    format!("{}{}", finished.stdout, finished.stderr)
}

#[test]
fn a_check_says_who_answered() {
    let (Some(elasticsearch), Some(opensearch)) = (elasticsearch(), opensearch()) else { return };
    let plain = |port: u16| checked(&json!({ "url": format!("http://127.0.0.1:{port}") }));
    let address = format!("g.clustersearch at http://127.0.0.1:{elasticsearch}: connected to ");
    assert!(plain(elasticsearch).starts_with(&address), "{}", plain(elasticsearch));
    assert!(plain(elasticsearch).contains("Elasticsearch 7.17.29 without a user"), "{}", plain(elasticsearch));
    assert!(plain(opensearch).contains("OpenSearch 2.19.4 without a user"), "{}", plain(opensearch));
    let gateway = Gateway::plain(elasticsearch).with_login("Basic YWRhOmxvdmVsYWNl");
    gateway.rule(|asked| match asked.line.as_str() {
        "GET /_security/_authenticate" => {
            Reply::Own(200, "application/json", json!({ "username": "ada", "roles": [] }).to_string())
        }
        _ => Reply::Pass,
    });
    let secret = |password: &str| json!({ "url": format!("http://127.0.0.1:{}", gateway.port), "username": "ada", "password": password });
    let told = checked(&secret("lovelace"));
    assert!(told.contains("Elasticsearch 7.17.29 as ada"), "{told}");
    let told = checked(&secret("wrong"));
    assert!(told.contains("the server refused the credentials of the secret"), "{told}");
}
