//! Servers that lie to `g.sqldb`. Every call ends with an error of a known code or an answer, in the run's time and memory.

use std::time::Duration;

use anyhow::{Result, ensure};
use ghost_tests::folder::Folder;

use crate::{
    attack::{Attack, CANARY, Contract, Seen, is_hostile},
    liar::{self, Lie, Reply, STARTUP, TLS, columns, complete, error, logged_in, message, ready, row, with_length},
};

/// Calls every method once, one after the other, and tells the codes of what failed.
const SCRIPT: &str = "export async function main() {
  const codes = new Set();
  const calls = [
    () => g.sqldb.query('db', 'select 1 as a'), () => g.sqldb.queryOne('db', 'select 1 as a'), () => g.sqldb.scalar('db', 'select $1::int', [1]), () => g.sqldb.execute('db', 'update t set a = 1'),
    () => g.sqldb.executeBatch('db', [{ sql: 'select 1' }, { sql: 'select 2' }]), () => g.sqldb.copyTo('db', 'select 1'), () => g.sqldb.copyFrom('db', 't', [[1], [2]]),
    () => g.sqldb.transaction('db', (t) => t.query('select 1')), () => g.sqldb.listTables('db'), () => g.sqldb.describeTable('db', 't'), () => g.sqldb.listDatabases('db'),
  ];
  for (const call of calls) {
    try { await call(); codes.add('answered'); } catch (error) {
      if (!(error instanceof GError) && !(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
      codes.add(error.code);
      console.error(error, JSON.stringify(error.details), error.stack);
    }
  }
  return [...codes];
}";

const KNOWN: [&str; 14] = [
    "answered",
    "UNAVAILABLE",
    "BACKEND",
    "TIMEOUT",
    "LIMIT",
    "DATA",
    "ACCESS_DENIED",
    "NOT_FOUND",
    "CONFLICT",
    "QUERY_SYNTAX",
    "SECRET_INVALID",
    "INVALID_ARGUMENT",
    "BUSY",
    "SECRET_NOT_FOUND",
];

fn lies(name: &'static str, lie: Lie) -> Attack {
    lies_with(name, "sslmode=disable", lie)
}

fn lies_with(name: &'static str, more: &'static str, lie: Lie) -> Attack {
    Attack::new("servers", name, move || meet(more, lie))
}

fn meet(more: &str, lie: Lie) -> Result<Seen> {
    let port = liar::start(lie)?;
    let connection = format!("host=127.0.0.1 port={port} user=u password={CANARY} dbname=d {more}");
    let folder = Folder::new();
    let run = folder.script(["--timeout", "3s", "--max-memory", "64M"], SCRIPT);
    let finished = run.env("GHOST_SECRET_DB", &connection).finish();
    // Cleaning up takes a second more at the most.
    let contract = Contract::exits(&[0, 3]).within(Duration::from_secs(4)).with_memory(64 << 20);
    let seen = contract.check(&finished)?;
    if finished.status.code() == Some(0) {
        let codes: Vec<String> = serde_json::from_str(&finished.stdout)?;
        ensure!(codes.iter().all(|code| KNOWN.contains(&code.as_str())), "{codes:?}\n{finished}");
    }
    Ok(seen)
}

/// The same, where what the server says is shown on a terminal. A pipe gets a script's console unchanged.
fn on_a_terminal(name: &'static str, lie: Lie) -> Attack {
    Attack::new("servers", name, move || {
        let port = liar::start(lie)?;
        let folder = Folder::new();
        folder.write("script.js", SCRIPT);
        let run = folder.on_a_terminal("-onlcr", "run --timeout 3s --max-memory 64M script.js");
        let connection = format!("host=127.0.0.1 port={port} user=u password={CANARY} dbname=d sslmode=disable");
        let finished = run.env("GHOST_SECRET_DB", &connection).finish();
        let seen = Contract::exits(&[0, 3]).within(Duration::from_secs(4)).check(&finished)?;
        let shown = &finished.stdout;
        let raw = shown.chars().find(|character| is_hostile(*character));
        ensure!(raw.is_none(), "{raw:?} was written raw\n{shown:?}");
        ensure!(!shown.lines().any(|line| line.starts_with("error:")), "a line looks like ghost's\n{shown:?}");
        ensure!(shown.contains("forged"), "what the server said was not shown\n{shown:?}");
        Ok(seen)
    })
}

/// Said where rows come.
fn rows(bytes: Vec<u8>) -> Option<Reply> {
    Some(Reply::Bytes(bytes))
}

fn login() -> Vec<Attack> {
    vec![
        lies("it hangs up at once", |_, _| Some(Reply::Last(Vec::new()))),
        lies("it never says a word", |_, _| Some(Reply::Silence)),
        lies("it is a web server", |_, _| {
            Some(Reply::Last(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".to_vec()))
        }),
        lies("it sends noise without end", |_, _| Some(Reply::Flood(vec![0xff, 0x00, 0x41, 0x7f, 0x80]))),
        lies_with("it agrees to TLS and sends noise", "sslmode=require", |letter, _| {
            (letter == TLS).then(|| Reply::BytesThenFlood(b"S".to_vec(), vec![0x16, 0x03, 0x03, 0xff, 0xff]))
        }),
        lies_with("it agrees to TLS and falls silent", "sslmode=require", |letter, _| {
            (letter == TLS).then(|| Reply::Bytes(b"S".to_vec()))
        }),
        lies_with("it refuses TLS where it is required", "sslmode=require", |_, _| None),
        lies_with("it answers the request for TLS with an error of a gigabyte", "sslmode=require", |letter, _| {
            (letter == TLS).then(|| Reply::BytesThenFlood(with_length(b'E', 1 << 30, b"M"), b"x".to_vec()))
        }),
        lies_with("it injects plain messages before TLS begins", "sslmode=require", |letter, _| {
            (letter == TLS).then(|| Reply::Bytes([b"S".to_vec(), logged_in()].concat()))
        }),
        lies("it asks for a way to log in that does not exist", |letter, _| {
            (letter == STARTUP).then(|| Reply::Bytes(message(b'R', &[0, 0, 0, 99])))
        }),
        lies("it asks for Kerberos and for SSPI", |letter, _| {
            (letter == STARTUP)
                .then(|| Reply::Bytes([message(b'R', &[0, 0, 0, 7]), message(b'R', &[0, 0, 0, 9])].concat()))
        }),
        lies("it asks for MD5 with a salt of one byte", |letter, _| {
            (letter == STARTUP).then(|| Reply::Bytes(message(b'R', &[0, 0, 0, 5, 1])))
        }),
        lies("it offers no mechanism of SASL", |letter, _| {
            (letter == STARTUP).then(|| Reply::Bytes(message(b'R', &[0, 0, 0, 10, 0])))
        }),
        lies("it offers a million mechanisms of SASL", |letter, _| {
            (letter == STARTUP).then(|| {
                Reply::Bytes(message(
                    b'R',
                    &[vec![0, 0, 0, 10], b"SCRAM-SHA-512\0".repeat(1_000_000), vec![0]].concat(),
                ))
            })
        }),
        lies("it asks for four billion rounds of SCRAM", |letter, body| match letter {
            STARTUP => Some(Reply::Bytes(message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0"))),
            b'p' => scram(body, "i=4294967295"),
            _ => None,
        }),
        lies("it asks for no round of SCRAM", |letter, body| match letter {
            STARTUP => Some(Reply::Bytes(message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0"))),
            b'p' => scram(body, "i=0"),
            _ => None,
        }),
        lies("it answers SCRAM with a nonce of its own", |letter, _| match letter {
            STARTUP => Some(Reply::Bytes(message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0"))),
            b'p' => Some(Reply::Bytes(message(b'R', b"\0\0\0\x0br=forged,s=c2FsdA==,i=4096"))),
            _ => None,
        }),
        lies("it lets the client in before SCRAM has proved anything", |letter, _| match letter {
            STARTUP => Some(Reply::Bytes(message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0"))),
            b'p' => Some(Reply::Bytes(logged_in())),
            _ => None,
        }),
        lies("it asks for the password and shouts it back in every field", |letter, body| match letter {
            STARTUP => Some(Reply::Bytes(message(b'R', &[0, 0, 0, 3]))),
            b'p' => {
                let password = String::from_utf8_lossy(body).trim_end_matches('\0').to_owned();
                let fields = b"SVCMDHPpqWstcdnFLR"
                    .map(|field| (field, format!("{password} {} {password}", password.to_uppercase())));
                let fields: Vec<(u8, &str)> = fields.iter().map(|(field, text)| (*field, text.as_str())).collect();
                Some(Reply::Last(error(&fields)))
            }
            _ => None,
        }),
        lies("it tells of parameters without end", |letter, _| {
            (letter == STARTUP).then(|| Reply::BytesThenFlood(message(b'R', &[0; 4]), message(b'S', b"name\0value\0")))
        }),
        lies("it tells of ever new parameters of 10 KB", |letter, _| {
            (letter == STARTUP).then(|| {
                let some = (0..8_000)
                    .flat_map(|n| message(b'S', format!("name{n}\0{}\0", "v".repeat(10_000)).as_bytes()))
                    .collect();
                Reply::Bytes([message(b'R', &[0; 4]), some].concat())
            })
        }),
        lies("it sends notices without end before it is ready", |letter, _| {
            (letter == STARTUP)
                .then(|| Reply::BytesThenFlood(message(b'R', &[0; 4]), message(b'N', b"SNOTICE\0Mx\0\0")))
        }),
        lies("it knows nothing of the protocol's version, and names 50,000 options", |letter, _| {
            (letter == STARTUP).then(|| {
                Reply::Bytes(message(b'v', &[vec![0, 0, 0, 0, 0, 0, 0xc3, 0x50], b"_pq_.x\0".repeat(50_000)].concat()))
            })
        }),
        lies("its key is of no size that a key has", |letter, _| {
            (letter == STARTUP)
                .then(|| Reply::Bytes([message(b'R', &[0; 4]), message(b'K', &[1]), ready(b'I')].concat()))
        }),
    ]
}

/// The first answer of SCRAM, which takes up the client's nonce.
fn scram(body: &[u8], rounds: &str) -> Option<Reply> {
    let text = String::from_utf8_lossy(body);
    let nonce = text.split("r=").nth(1)?.split(',').next()?;
    Some(Reply::Bytes(message(b'R', format!("\0\0\0\x0br={nonce}x,s=c2FsdHNhbHQ=,{rounds}").as_bytes())))
}

fn messages() -> Vec<Attack> {
    vec![
        lies("a message of no length", |letter, _| (letter == b'P').then(|| Reply::Bytes(with_length(b'1', 0, b"")))),
        lies("a message of a negative length", |letter, _| {
            (letter == b'P').then(|| Reply::Bytes(with_length(b'1', -1, b"xxxx")))
        }),
        lies("a message of two gigabytes that never comes", |letter, _| {
            (letter == b'E').then(|| Reply::Bytes(with_length(b'D', i32::MAX, b"\0\x01")))
        }),
        lies("a message of two gigabytes that comes", |letter, _| {
            (letter == b'E').then(|| {
                Reply::BytesThenFlood(with_length(b'D', i32::MAX, b"\0\x01\x7f\xff\xff\x00"), vec![b'x'; 8192])
            })
        }),
        lies("a message that is no message of the protocol", |letter, _| {
            (letter == b'P').then(|| Reply::Bytes(message(b'x', b"what")))
        }),
        lies("an answer that drips", |letter, _| (letter == b'E').then(|| Reply::Drip(row(&[b"\0\0\0\x01"])))),
        lies("notifications without end", |letter, _| {
            (letter == b'E').then(|| Reply::Flood(message(b'A', b"\0\0\0\x01channel\0payload\0")))
        }),
        lies("notices without end in the middle of a statement", |letter, _| {
            (letter == b'E').then(|| Reply::Flood(message(b'N', b"SNOTICE\0C00000\0Mx\0\0")))
        }),
        lies("it is ready a million times", |letter, _| {
            (letter == b'S').then(|| Reply::Bytes(ready(b'I').repeat(1_000_000)))
        }),
        lies("it is ready without end", |letter, _| (letter == b'S').then(|| Reply::Flood(ready(b'I')))),
        lies("its state is one that does not exist", |letter, _| (letter == b'S').then(|| Reply::Bytes(ready(0xff)))),
        lies("it never leaves a transaction", |letter, _| (letter == b'S').then(|| Reply::Bytes(ready(b'T')))),
        lies("every transaction has failed", |letter, _| {
            (letter == b'S' || letter == b'Q').then(|| {
                Reply::Bytes([if letter == b'Q' { complete("ROLLBACK") } else { Vec::new() }, ready(b'E')].concat())
            })
        }),
        lies("it says ROLLBACK where it was told to commit", |letter, body| {
            (letter == b'Q' && body.to_ascii_uppercase().starts_with(b"COMMIT"))
                .then(|| Reply::Bytes([complete("ROLLBACK"), ready(b'I')].concat()))
        }),
        lies("it hangs up when it is told to commit", |letter, body| {
            (letter == b'Q' && body.to_ascii_uppercase().starts_with(b"COMMIT")).then(|| Reply::Last(Vec::new()))
        }),
        lies("it hangs up before it is ready", |letter, _| (letter == b'S').then(|| Reply::Last(Vec::new()))),
        lies("it stops in the middle of a row", |letter, _| {
            (letter == b'E').then(|| Reply::Last(row(&[b"\0\0\0\x01"])[..9].to_vec()))
        }),
        lies("it answers with a function's result", |letter, _| {
            (letter == b'E').then(|| Reply::Bytes(message(b'V', b"\0\0\0\x01x")))
        }),
        lies("it begins a copy that nobody asked for", |letter, _| {
            (letter == b'E').then(|| Reply::Bytes(message(b'G', &[0, 0, 1, 0, 0])))
        }),
        lies("it begins a copy in both directions", |letter, _| {
            (letter == b'E').then(|| Reply::Bytes(message(b'W', &[0, 0, 1, 0, 0])))
        }),
        lies("it sends data of a copy that did not begin", |letter, _| {
            (letter == b'E').then(|| Reply::Flood(message(b'd', b"a\tb\n")))
        }),
        lies("it copies out without end", |letter, _| {
            (letter == b'E').then(|| Reply::BytesThenFlood(message(b'H', &[0, 0, 1, 0, 0]), message(b'd', b"1\n")))
        }),
        lies("it copies out one line without an end", |letter, _| {
            (letter == b'E')
                .then(|| Reply::BytesThenFlood(message(b'H', &[0, 0, 1, 0, 0]), message(b'd', &[b'x'; 8000])))
        }),
        lies("it suspends a portal without end", |letter, _| {
            (letter == b'E').then(|| Reply::Flood(message(b's', b"")))
        }),
        lies("it takes every query for an empty one", |letter, _| {
            (letter == b'E').then(|| Reply::Bytes(message(b'I', b"")))
        }),
        lies("its tags count beyond all bounds and have no end", |letter, _| {
            (letter == b'E').then(|| {
                Reply::Bytes(
                    [
                        complete("INSERT 0 99999999999999999999999999"),
                        message(b'C', b"UPDATE \xff\xfe"),
                        message(b'C', b""),
                    ]
                    .concat(),
                )
            })
        }),
    ]
}

fn errors() -> Vec<Attack> {
    vec![
        lies("an error of 50 MB", |letter, _| {
            (letter == b'P')
                .then(|| Reply::Bytes(error(&[(b'S', "ERROR"), (b'C', "42601"), (b'M', &"m".repeat(50 << 20))])))
        }),
        lies("an error of a million fields", |letter, _| {
            (letter == b'P').then(|| Reply::Bytes(message(b'E', &[b"Zx\0".repeat(1_000_000), vec![0]].concat())))
        }),
        lies("an error without a field, and one without an end", |letter, _| {
            (letter == b'P')
                .then(|| Reply::Bytes([message(b'E', b"\0"), message(b'E', b""), message(b'E', b"Mno end")].concat()))
        }),
        on_a_terminal("an error that a terminal would obey", |letter, _| {
            (letter == b'P').then(|| {
                Reply::Bytes(error(&[
                    (b'S', "\x1b[31m"),
                    (b'C', "XX000"),
                    (b'M', "\r\x1b[2Jerror: forged\n\u{202e}\u{2028}\u{e0041}"),
                    (b'D', "\x07\u{9b}31m"),
                    (b'H', "\0"),
                    (b'n', "\x1b]0;x\x07"),
                ]))
            })
        }),
        lies("an error whose state is empty, long or no text", |letter, _| match letter {
            b'P' => Some(Reply::Bytes(
                [error(&[(b'C', ""), (b'M', "m")]), error(&[(b'C', &"9".repeat(100_000)), (b'M', "m")])].concat(),
            )),
            b'S' => Some(Reply::Bytes([message(b'E', b"C\xff\xfe\0Mm\0\0"), ready(b'I')].concat())),
            _ => None,
        }),
        lies("an error at a place beyond the statement", |letter, _| {
            (letter == b'P').then(|| {
                Reply::Bytes(error(&[
                    (b'S', "ERROR"),
                    (b'C', "42601"),
                    (b'M', "m"),
                    (b'P', "99999999999"),
                    (b'p', "-5"),
                ]))
            })
        }),
        lies("an error for every message it gets", |letter, _| {
            (letter > TLS).then(|| Reply::Bytes(error(&[(b'S', "ERROR"), (b'C', "42601"), (b'M', "m")])))
        }),
        lies("a fatal error of its own after every answer", |letter, _| {
            (letter == b'S')
                .then(|| Reply::Last([ready(b'I'), error(&[(b'S', "FATAL"), (b'C', "57P01"), (b'M', "bye")])].concat()))
        }),
    ]
}

fn values() -> Vec<Attack> {
    vec![
        lies("65,535 columns are announced and one described", |letter, _| {
            (letter == b'D')
                .then(|| Reply::Bytes([message(b't', &[0, 0]), message(b'T', &[0xff, 0xff, b'a', 0])].concat()))
        }),
        lies("65,535 columns are described", |letter, _| {
            (letter == b'D').then(|| Reply::Bytes([message(b't', &[0, 0]), columns(&[("a", 23); 65_535])].concat()))
        }),
        lies("65,535 parameters are wanted", |letter, _| {
            (letter == b'D').then(|| {
                Reply::Bytes(
                    [message(b't', &[vec![0xff, 0xff], vec![0; 65_535 * 4]].concat()), columns(&[("a", 23)])].concat(),
                )
            })
        }),
        lies("names of columns are no text, and __proto__", |letter, _| {
            (letter == b'D').then(|| {
                let wrong = message(b'T', b"\0\x01\xff\xfe\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\x01");
                Reply::Bytes([message(b't', &[0, 0]), wrong, columns(&[("__proto__", 23)])].concat())
            })
        }),
        lies("a row has more values than there are columns", |letter, _| {
            if letter == b'E' { rows([row(&[b"\0\0\0\x01", b"x", b"y"]), complete("SELECT 1")].concat()) } else { None }
        }),
        lies(
            "a row has no value",
            |letter, _| if letter == b'E' { rows([row(&[]), complete("SELECT 1")].concat()) } else { None },
        ),
        lies("a value is longer than its message, and one has a length of -2", |letter, _| {
            if letter == b'E' {
                rows(
                    [
                        message(b'D', b"\0\x01\x7f\xff\xff\xff1"),
                        message(b'D', b"\0\x01\xff\xff\xff\xfe"),
                        complete("SELECT 2"),
                    ]
                    .concat(),
                )
            } else {
                None
            }
        }),
        lies("rows come before they are described", |letter, _| {
            (letter == b'P').then(|| Reply::Bytes([row(&[b"\0\0\0\x01"]), message(b'1', b"")].concat()))
        }),
        lies("an integer of three bytes", |letter, _| {
            if letter == b'E' { rows([row(&[b"\0\0\x01"]), complete("SELECT 1")].concat()) } else { None }
        }),
        lies("values of every known type have no byte", |letter, _| typed(letter, b"")),
        lies("values of every known type have one byte of 255", |letter, _| typed(letter, b"\xff")),
        lies("values of every known type have a thousand bytes of 255", |letter, _| typed(letter, &[0xff; 1000])),
        lies("an array of two billion dimensions", |letter, _| typed(letter, b"\x7f\xff\xff\xff\0\0\0\0\0\0\0\x17")),
        lies("an array of two billion elements that are null", |letter, _| {
            typed(letter, b"\0\0\0\x01\0\0\0\x01\0\0\0\x17\x7f\xff\xff\xff\0\0\0\x01\xff\xff\xff\xff")
        }),
        lies("an array of six dimensions of 65,536 each", |letter, _| {
            typed(letter, &[b"\0\0\0\x06\0\0\0\0\0\0\0\x17".to_vec(), b"\0\x01\0\0\0\0\0\x01".repeat(6)].concat())
        }),
        lies("a document of JSON that is nested a million deep", |letter, _| {
            typed(letter, &[vec![1], b"[".repeat(1_000_000)].concat())
        }),
        lies("rows without end", |letter, _| (letter == b'E').then(|| Reply::Flood(row(&[b"\0\0\0\x01"])))),
        lies("rows of nothing without end", |letter, _| (letter == b'E').then(|| Reply::Flood(row(&[])))),
        lies("a type that nobody knows, for ever a new one", |letter, _| {
            (letter == b'D').then(|| {
                Reply::Bytes(
                    [message(b't', &[0, 0]), columns(&(0..500).map(|n| ("a", 700_000 + n)).collect::<Vec<_>>())]
                        .concat(),
                )
            })
        }),
    ]
}

/// A row with a column for each type that is read in binary, each with this value.
fn typed(letter: u8, value: &[u8]) -> Option<Reply> {
    const OIDS: [u32; 22] = [
        16, 17, 20, 21, 23, 25, 26, 114, 700, 701, 1000, 1001, 1007, 1009, 1022, 1082, 1114, 1184, 1185, 1700, 3802,
        3807,
    ];
    match letter {
        b'D' => Some(Reply::Bytes([message(b't', &[0, 0]), columns(&OIDS.map(|oid| ("a", oid)))].concat())),
        // One row for each type, with the others null: what is wrong with one hides no other.
        b'E' => {
            let rows = (0..OIDS.len()).map(|at| {
                let mut body = (OIDS.len() as u16).to_be_bytes().to_vec();
                for column in 0..OIDS.len() {
                    body.extend(if column == at { (value.len() as u32).to_be_bytes() } else { [0xff; 4] });
                    body.extend(if column == at { value } else { b"" });
                }
                message(b'D', &body)
            });
            Some(Reply::Bytes([rows.collect::<Vec<_>>().concat(), complete("SELECT 22")].concat()))
        }
        _ => None,
    }
}

pub fn all() -> Vec<Attack> {
    [login(), messages(), errors(), values()].into_iter().flatten().collect()
}
