//! Nothing of a connection string is ever seen: not when it is wrong, not when the server refuses it, not when a request fails.

use std::{
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    time::Duration,
};

use ghost_tests::{
    folder::Folder,
    servers::{
        documentdb::{self, FerretDb},
        postgres,
        proxy::{Fault, Proxy},
    },
};

use crate::{external::failing, sqldb::secrets::shows_nothing};

/// The calls of the script.
const CALLS: [&str; 3] = [
    "g.documentdb.find('docs', 'd', 'c', { $bad: 1 })",
    "g.documentdb.insertOne('docs', 'd', 'c', { _id: [1] })",
    "g.documentdb.aggregate('docs', 'd', 'c', [{ $lookup: {} }])",
];

/// Runs the calls with a connection string; each must fail, and nothing be seen.
#[track_caller]
fn fails(connection: &str) {
    let folder = Folder::new();
    let run = folder.script(["--verbose", "--timeout", "30s"], &failing(&CALLS)).env("GHOST_SECRET_DOCS", connection);
    let finished = run.finish().exits(1);
    assert!(!finished.stderr.contains("no failure"), "{connection}\n{finished}");
    shows_nothing(&finished, connection);
}

/// Strings that are none, or lead nowhere.
fn unusable(server: &FerretDb, closed: u16) -> Vec<String> {
    let (port, tls, authority) = (server.port, server.tls, server.authority.display());
    let login = "canaryuser:canarypass";
    let soon = "serverSelectionTimeoutMS=300&appName=canaryapp";
    vec![
        "canary".to_owned(),
        "mongodb://".into(),
        "mongodb://canary:canary".into(),
        "mongodb://u:canary%zz@h/".into(),
        "mongodb://u:ca/nary@h".into(),
        "mongodb://u:canary@canary@h".into(),
        "mongodb://u:p@h:canary/".into(),
        "mongodb://u:p@h:1:canary/".into(),
        "mongodb://[canary/".into(),
        "mongodb+srv://u:canary@h:1/".into(),
        "mongodb+srv://canary:canary@canary.invalid/".into(),
        "mongodb://h/?canary=1".into(),
        "mongodb://h/?canary".into(),
        "mongodb://h/?tls=canary".into(),
        "mongodb://h/?maxPoolSize=canary".into(),
        "mongodb://h/?socketTimeoutMS=canary".into(),
        "mongodb://h/?waitQueueTimeoutMS=canary".into(),
        "mongodb://h/?readPreference=canary".into(),
        "mongodb://h/?w=-canary&wTimeoutMS=canary".into(),
        "mongodb://u:p@h/?authMechanism=canary".into(),
        "mongodb://h/?authMechanismProperties=canary:1".into(),
        "mongodb://h/?proxyHost=canary".into(),
        "mongodb://h/ca$nary".into(),
        format!("mongodb://{login}@canary-host.invalid/canarydb?{soon}"),
        format!("mongodb://{login}@127.0.0.1:{closed}/canarydb?{soon}"),
        format!("mongodb://{login}@localhost:{port}/canarydb?{soon}&directConnection=true"),
        format!("mongodb://{login}@localhost:{port}/?{soon}&directConnection=true&authMechanism=SCRAM-SHA-1"),
        format!("mongodb://{login}@localhost:{port}/?{soon}&authMechanism=PLAIN&authSource=$external"),
        format!("mongodb://{login}@localhost:{port}/?{soon}&replicaSet=canaryset"),
        format!("mongodb://{login}@localhost:{port}/?{soon}&tls=true"),
        format!("mongodb://{login}@localhost:{tls}/?{soon}&directConnection=true"),
        format!("mongodb://{login}@localhost:{tls}/?{soon}&tls=true"),
        format!("mongodb://{login}@localhost:{tls}/?{soon}&tls=true&tlsCAFile={authority}&directConnection=true"),
        format!("mongodb://{login}@127.0.0.1:{tls}/?{soon}&tls=true&tlsCAFile={authority}"),
        format!("mongodb://{login}@localhost:{tls}/?{soon}&tls=true&tlsCAFile=/canary/canary.crt"),
        format!("mongodb://{login}@localhost:{tls}/?{soon}&tls=true&tlsCAFile=/etc/passwd"),
        format!("mongodb://{login}@localhost:{tls}/?{soon}&tls=true&tlsCertificateKeyFile=/canary/key"),
        format!("mongodb://{login}@%2Fcanary%2Fmongodb.sock/?{soon}"),
    ]
}

#[test]
fn errors_of_unusable_connection_strings_show_no_part_of_them() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
    let all = unusable(server, closed);
    assert!(all.len() >= 30, "{}", all.len());
    for connection in all {
        fails(&connection);
    }
}

#[test]
fn network_errors_show_no_part_of_the_connection_string() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let proxy = Proxy::before(server.port);
    for fault in [Fault::Refuse, Fault::Garbage, Fault::ResetAt(0), Fault::ResetAt(20), Fault::HalfCloseAt(20)] {
        proxy.set(fault);
        let options = "serverSelectionTimeoutMS=300&directConnection=true&appName=canaryapp";
        fails(&format!("mongodb://canaryuser:canarypass@localhost:{}/canarydb?{options}", proxy.port));
    }
}

/// The first line of the error of a call with a connection string.
fn error(connection: &str) -> String {
    let folder = Folder::new();
    let script = "export const main = () => g.documentdb.find('docs', 'd', 'c');";
    folder.script([], script).env("GHOST_SECRET_DOCS", connection).finish().exits(1).stderr
}

#[test]
fn what_is_wrong_with_the_server_is_told_in_one_sentence() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let soon = "&serverSelectionTimeoutMS=300";
    let authority = format!("&tls=true&tlsCAFile={}", server.authority.display());
    let rows = [
        (server.at(server.port, &format!("{soon}&tls=true")), "check its host, its port and tls"),
        (server.at(server.tls, soon), "it may require TLS (tls=true)"),
        (server.at(server.tls, &format!("{soon}&tls=true")), "is not signed by a trusted authority"),
        (server.at(server.tls, &format!("{soon}{authority}")).replace("localhost", "127.0.0.1"), "is for another host"),
        (server.plain(soon).replace("ghost:", "nobody:"), "the server refused the user or the password of the secret"),
        ("mongodb://localhost:9/?serverSelectionTimeoutMS=300".to_owned(), "the host refused the connection"),
        ("postgres://u:p@h/d".to_owned(), "the secret is not a mongodb:// or mongodb+srv:// URI"),
    ];
    for (connection, expected) in rows {
        let error = error(&connection);
        assert!(error.contains(expected), "{connection}: {error}");
    }
}

#[test]
fn a_server_of_another_protocol_is_told() {
    let Some(own) = postgres::own_or_skip() else { return };
    let error = error(&format!("mongodb://127.0.0.1:{}/?serverSelectionTimeoutMS=300", own.port));
    assert!(error.contains("may not be a MongoDB server") || error.contains("not be a MongoDB server"), "{error}");
}

#[test]
fn check_says_who_answered() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let folder = Folder::new();
    let checked =
        folder.ghost(["secret", "check", "docs"]).env("GHOST_SECRET_DOCS", &server.connection).finish().exits(0);
    let shown = format!("{}{}", checked.stdout, checked.stderr);
    assert!(shown.starts_with("g.documentdb at localhost:"), "{shown}");
    assert!(shown.contains("FerretDB 1.24") && shown.contains("ghost"), "{shown}");
}

#[test]
fn the_form_of_a_secret_is_checked_when_it_is_set() {
    let folder = Folder::new();
    let set = |text: &str| folder.ghost(["secret", "set", "docs"]).stdin(text).finish().exits(0).stderr;
    let noted = set("mongodb://u:canary@h/?compressors=canary");
    assert!(
        noted.contains("g.documentdb can't use it: the option compressors of the connection string is not supported"),
        "{noted}"
    );
    assert!(!noted.contains("canary"), "{noted}");
    assert!(!set("mongodb://u:canary@h/").contains("can't use it"));
}

#[test]
fn a_certificate_that_is_not_valid_is_told() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    for (name, expected) in [("expired", "certificate has expired"), ("other", "is for another host")] {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        let file = |ending: &str| server.certificates.join(format!("{name}.{ending}")).display().to_string();
        let mut openssl = Command::new("openssl");
        openssl.args(["s_server", "-quiet", "-accept", &free.to_string(), "-cert", &file("crt"), "-key", &file("key")]);
        let quiet = openssl.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = quiet.spawn().expect("openssl runs");
        while TcpStream::connect(("127.0.0.1", free)).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let options = format!("&serverSelectionTimeoutMS=300&tls=true&tlsCAFile={}", server.authority.display());
        let error = error(&server.at(free, &options));
        running.kill().and_then(|()| running.wait()).expect("it ends");
        assert!(error.contains(expected), "{name}: {error}");
    }
}
