//! Lies in the descriptions of columns, and in rows.

use super::lies;
use crate::{
    attack::Attack,
    liar::{Reply, columns, complete, message, row},
};

/// A reply in place of rows.
fn rows(bytes: Vec<u8>) -> Option<Reply> {
    Some(Reply::Bytes(bytes))
}

pub(super) fn values() -> Vec<Attack> {
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
