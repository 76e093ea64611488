//! Why ghost does not use deadpool-postgres 0.14.2, whose client is tokio-postgres 0.7.18.
//!
//! The server is a thread that accepts every login. A test that fails shows that a newer version can do what is missing.

use std::{
    env,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    time::Duration,
};

use deadpool_postgres::{Manager, Pool};
use tokio_postgres::NoTls;

/// Says to a copy of this test where the server is, and which statement to prepare.
const CHILD: &str = "GHOST_PROOF_CHILD";
/// How much of one row the server sends: 16 times what ghost keeps of the answers to a run by default.
const ENOUGH: usize = 256 << 20;

/// A message of the server.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

/// Reads the body of a message, behind its kind where it has one.
fn body(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

/// Accepts a connection and its login.
fn logged_in(listener: &TcpListener) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    body(&mut stream).unwrap();
    stream.write_all(&[message(b'R', &[0; 4]), message(b'Z', b"I")].concat()).unwrap();
    stream
}

/// The next message of this kind.
fn next(stream: &mut TcpStream, kind: u8) -> Vec<u8> {
    loop {
        let mut found = [0];
        stream.read_exact(&mut found).unwrap();
        let body = body(stream).unwrap();
        if found[0] == kind {
            return body;
        }
    }
}

fn pool(port: u16) -> Pool {
    let config = format!("host=127.0.0.1 port={port} user=u dbname=d sslmode=disable").parse().unwrap();
    Pool::builder(Manager::new(config, NoTls)).max_size(1).build().unwrap()
}

/// The name and the text of the statement that a process of its own prepares first.
fn prepared_by_a_process(sql: &str) -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_process_that_prepares_a_statement", "--ignored"])
        .env(CHILD, format!("{port} {sql}"))
        .spawn()
        .unwrap();
    let mut stream = logged_in(&listener);
    let body = next(&mut stream, b'P');
    drop(stream);
    child.wait().unwrap();
    let mut texts = body.split(|byte| *byte == 0).map(|text| String::from_utf8(text.to_vec()).unwrap());
    (texts.next().unwrap(), texts.next().unwrap())
}

#[tokio::test]
#[ignore = "a part of two_processes_give_different_statements_one_name"]
async fn a_process_that_prepares_a_statement() {
    let Ok(told) = env::var(CHILD) else { return };
    let (port, sql) = told.split_once(' ').unwrap();
    let client = pool(port.parse().unwrap()).get().await.unwrap();
    // The server hangs up instead of an answer.
    assert!(client.query(sql, &[]).await.is_err());
}

/// A pooler in transaction mode that knows nothing of statements (PgBouncer before 1.21, or with
/// `max_prepared_statements = 0`) gives one connection of the server to one process after the other. The second process then
/// executes the statement of the first, and takes its rows for its own. The names can't be chosen.
#[test]
fn two_processes_give_different_statements_one_name() {
    let first = prepared_by_a_process("select 'mine'");
    let second = prepared_by_a_process("select 'yours'");
    assert_eq!((first.1.as_str(), second.1.as_str()), ("select 'mine'", "select 'yours'"));
    assert_eq!(first.0, second.0);
    assert!(!first.0.is_empty(), "a statement without a name ends with its request");
}

/// A row that claims 2 GiB is kept as it comes, before the caller sees any of it, so no limit of the caller's can apply.
#[tokio::test]
async fn a_row_is_buffered_whatever_length_it_claims() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut stream = logged_in(&listener);
        stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
        next(&mut stream, b'Q');
        let claimed = i32::MAX.to_be_bytes();
        stream.write_all(&[&b"D"[..], &claimed].concat()).unwrap();
        let (part, mut taken) = (vec![0; 1 << 20], 0);
        while taken < ENOUGH && stream.write_all(&part).is_ok() {
            taken += part.len();
        }
        taken
    });
    let client = pool(port).get().await.unwrap();
    assert!(client.simple_query("select 1").await.is_err(), "the server hung up");
    assert_eq!(server.join().unwrap(), ENOUGH);
}
