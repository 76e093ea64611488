//! Lies in the login, in the order of messages, and in errors.

use super::{lies, lies_with, on_a_terminal};
use crate::{
    attack::Attack,
    liar::{Reply, STARTUP, TLS, complete, error, logged_in, message, ready, row, with_length},
};

pub(super) fn login() -> Vec<Attack> {
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
        lies_with("it refuses TLS where it is required", "sslmode=require", |letter, _| {
            (letter == TLS).then(|| Reply::Bytes(b"N".to_vec()))
        }),
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
                let value = "v".repeat(10_000);
                let parameter = |n| message(b'S', format!("name{n}\0{value}\0").as_bytes());
                let some: Vec<_> = (0..8_000).map(parameter).collect();
                Reply::Bytes([message(b'R', &[0; 4]), some.concat()].concat())
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

pub(super) fn messages() -> Vec<Attack> {
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

pub(super) fn errors() -> Vec<Attack> {
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
