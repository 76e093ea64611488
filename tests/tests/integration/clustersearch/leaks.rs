//! Nothing of a secret is ever seen: not when it is wrong, not when the server refuses it, not when a request fails.

use ghost_tests::{
    canary,
    folder::{Finished, Folder},
    servers::{
        gateway::{Asked, Certificate, Gateway, Reply},
        proxy::{Fault, Proxy},
    },
};
use serde_json::{Value, json};

use super::elasticsearch;

/// Part of every name, password and key.
const CANARY: &str = "canary";
const PASSWORD: &str = "canary/pass:w+rd";
const KEY: &str = "Y2FuYXJ5LWlkOmNhbmFyeS1rZXk="; // canary-id:canary-key

/// Everything that a script, a terminal and a log can see of a failure.
const SCRIPT: &str = "export async function main() {
  const calls = [
    () => g.clustersearch.info('cluster'),
    () => g.clustersearch.createIndex('cluster', 'leaks', { settings: { index: { nonsense: 1 } } }),
    () => g.clustersearch.deleteIndex('cluster', 'leaks-2'),
    () => g.clustersearch.index('cluster', 'leaks', '1', { n: 1 }),
    () => g.clustersearch.get('cluster', 'leaks', '1'),
    () => g.clustersearch.bulk('cluster', 'leaks', [{ n: 1 }]),
    () => g.clustersearch.search('cluster', 'leaks', { query: { nonsense: 1 } }),
    () => g.clustersearch.ping('cluster'),
  ];
  for (const call of calls) {
    try {
      console.log('value', JSON.stringify(await call()));
    } catch (error) {
      console.error(error, String(error), error.stack, JSON.stringify(error), JSON.stringify(error.details), Object.getOwnPropertyNames(error));
      console.log(error.code, error.message);
    }
  }
  await calls[0]();
}";

/// What no output may show.
const WORDS: [&str; 4] = [CANARY, PASSWORD, KEY, "canary%2Fpass%3Aw%2Brd"];

#[track_caller]
fn shows_nothing(what: &str, finished: &Finished) {
    canary::shows_none(finished, &WORDS, what);
}

/// Runs the script with a secret; it must fail, and nothing be seen.
#[track_caller]
fn fails(what: &str, secret: &str) -> Finished {
    let folder = Folder::new();
    let run = folder.script(["--verbose", "--timeout", "40s"], SCRIPT).env("GHOST_SECRET_CLUSTER", secret);
    let finished = run.env("RUST_LOG", "trace").finish().exits(1);
    shows_nothing(what, &finished);
    let checked = folder.ghost(["secret", "check", "cluster"]).env("GHOST_SECRET_CLUSTER", secret).finish();
    canary::check_shows_none(checked, &WORDS, what);
    finished
}

#[test]
fn errors_of_unusable_secrets_show_no_part_of_them() {
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let with = |url: String| json!({ "url": url, "username": "canary-user", "password": PASSWORD }).to_string();
    let secrets = [
        "canary".to_owned(),
        "{\"canary\": 1}".to_owned(),
        "{\"url\": \"canary\"}".to_owned(),
        "{\"url\": \"canary://canary\"}".to_owned(),
        "{\"url\": \"https://canary:canary@canary\"}".to_owned(),
        "{\"url\": \"https://h/?canary=canary\"}".to_owned(),
        "{\"url\": \"https://h:canary\"}".to_owned(),
        "{\"url\": \"https://h\", \"canary\": \"canary\"}".to_owned(),
        "{\"url\": \"https://h\", \"apiKey\": {\"canary\": 1}}".to_owned(),
        "{\"url\": \"https://h\", \"ca\": \"canary\"}".to_owned(),
        "postgres://canary:canary@canary/canary".to_owned(),
        "mongodb://canary:canary@canary/canary".to_owned(),
        "s3://canary:canary@canary".to_owned(),
        json!({ "url": "https://h", "username": "canary" }).to_string(),
        json!({ "url": "https://h", "apiKey": "canary\u{e9}" }).to_string(),
        json!({ "url": "https://h", "apiKey": KEY, "username": "canary" }).to_string(),
        with("http://canary.invalid".to_owned()),
        with("https://canary.invalid/canary".to_owned()),
        with(format!("http://127.0.0.1:{closed}/canary")),
        with(format!("https://127.0.0.1:{closed}/canary")),
    ];
    for secret in secrets {
        fails(&secret, &secret);
    }
}

/// The forms in which a server may know the credentials of the two kinds of secrets.
const BASIC: &[&str] = &["canary-user", PASSWORD, "canary-user:canary/pass:w+rd", "canary%2Fpass%3Aw%2Brd"];
const API_KEY: &[&str] = &[KEY, "canary-id", "canary-key", "canary-id:canary-key"];

/// An answer that repeats the request with everything in it, as a server that shows too much.
fn repeated(status: u16, ty: &str, known: &'static [&'static str]) -> impl FnMut(&Asked) -> Reply + Send + 'static {
    let ty = ty.to_owned();
    move |asked| {
        let seen = asked.header("authorization").unwrap_or_default();
        let word = seen.split(' ').next_back().unwrap_or_default();
        let texts: Vec<_> = [seen, word].into_iter().chain(known.iter().copied()).collect();
        let reason = format!("failed for [{}]", texts.join("] ["));
        let cause =
            json!({ "type": ty, "reason": reason, "index": reason, "caused_by": { "type": ty, "reason": reason } });
        let error: Value = json!({ "type": ty, "reason": reason, "root_cause": [cause], "caused_by": cause });
        Reply::Own(status, "application/json", json!({ "error": error, "status": status }).to_string())
    }
}

#[test]
fn failures_at_a_server_show_no_part_of_the_secret() {
    let Some(server) = elasticsearch() else { return };
    let basic = |url: String| json!({ "url": url, "username": "canary-user", "password": PASSWORD });
    let key = |url: String| json!({ "url": url, "apiKey": KEY });
    for (status, ty) in [
        (400, "illegal_argument_exception"),
        (400, "parsing_exception"),
        (401, "security_exception"),
        (403, "security_exception"),
        (404, "index_not_found_exception"),
        (409, "version_conflict_engine_exception"),
        (413, "too_large"),
        (500, "some_exception"),
        (502, "some_exception"),
        (503, "unavailable_shards_exception"),
    ] {
        for (secret, known) in [(&basic as &dyn Fn(String) -> Value, BASIC), (&key, API_KEY)] {
            let gateway = Gateway::plain(server);
            gateway.rule(repeated(status, ty, known));
            fails(&format!("{status} {ty}"), &secret(format!("http://127.0.0.1:{}", gateway.port)).to_string());
        }
    }
    // The reasons of documents are part of a result.
    for (secret, known) in [(&basic as &dyn Fn(String) -> Value, BASIC), (&key, API_KEY)] {
        let gateway = Gateway::plain(server);
        let mut repeat = repeated(429, "mapper_parsing_exception", known);
        gateway.rule(move |asked| match (asked.line.contains("_bulk"), repeat(asked)) {
            (true, Reply::Own(_, ty, body)) => {
                let error: Value = serde_json::from_str(&body).expect("it is JSON");
                let item = json!({ "index": { "status": 400, "error": error["error"] } });
                Reply::Own(200, ty, json!({ "items": [item] }).to_string())
            }
            (_, reply) => reply,
        });
        let finished = fails("an item", &secret(format!("http://127.0.0.1:{}", gateway.port)).to_string());
        finished.says("\"failed\":1").says("\"reason\":\"");
    }
    // So are those of shards that failed.
    for (secret, known) in [(&basic as &dyn Fn(String) -> Value, BASIC), (&key, API_KEY)] {
        let gateway = Gateway::plain(server);
        let mut repeat = repeated(400, "some_exception", known);
        gateway.rule(move |asked| match (asked.line.contains("_search"), repeat(asked)) {
            (true, Reply::Own(_, ty, body)) => {
                let error: Value = serde_json::from_str(&body).expect("it is JSON");
                let failures = [json!({ "shard": 0, "node": "n", "reason": error["error"] })];
                let shards = json!({ "total": 2, "successful": 1, "failed": 1, "failures": failures });
                Reply::Own(200, ty, json!({ "hits": { "hits": [] }, "_shards": shards }).to_string())
            }
            (_, reply) => reply,
        });
        let finished = fails("a shard", &secret(format!("http://127.0.0.1:{}", gateway.port)).to_string());
        finished.says("\"failures\":[").says("\"reason\":");
    }
    let other = Certificate::new("DNS:canary.example", 10);
    let gateway = Gateway::tls(server, &other);
    let mut secret = basic(format!("https://localhost:{}", gateway.port));
    fails("an unknown authority", &secret.to_string());
    secret["ca"] = other.authority().into();
    fails("another name", &secret.to_string());
    let gateway = Gateway::plain(server);
    gateway.rule(|_| Reply::Own(200, "text/html", "canary".into()));
    fails("another service", &basic(format!("http://127.0.0.1:{}/canary", gateway.port)).to_string());
    gateway.rule(|_| Reply::Raw(b"HTTP/1.1 301 canary\r\nlocation: http://canary.example\r\n\r\n".to_vec()));
    fails("a redirect", &key(format!("http://127.0.0.1:{}", gateway.port)).to_string());
    let proxy = Proxy::before(server);
    for fault in [Fault::Refuse, Fault::ResetAt(20), Fault::HalfCloseAt(40)] {
        proxy.set(fault);
        fails(&format!("{fault:?}"), &basic(format!("http://127.0.0.1:{}", proxy.port)).to_string());
    }
}
