//! Converts documents and values of a server to text, without building a tree of them.

use std::{
    collections::HashSet,
    fmt::Write,
    ops::{Deref, DerefMut},
};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use mongodb::bson::{Decimal128, RawArray, RawBsonRef, RawDocument, Uuid, spec::BinarySubtype};

use super::{MAX_DATE, MAX_READ_DEPTH, Memory};
use crate::{Error, ErrorCode, g::json::hex};

/// Up to this number of members, comparing every pair of names is faster than a set.
const FEW_MEMBERS: usize = 16;

/// The number of bytes that are collected before `Memory` counts them.
const COUNTED_BYTES: usize = 64 << 10;

/// A text whose memory is counted while it grows.
pub(in crate::g::documentdb) struct Out<'m> {
    text: String,
    counted: usize,
    memory: &'m mut (dyn Memory + Send),
}

impl<'m> Out<'m> {
    pub(in crate::g::documentdb) fn new(memory: &'m mut (dyn Memory + Send)) -> Self {
        Self { text: String::new(), counted: 0, memory }
    }

    /// Counts the text that was added since the last count, if it has `least` bytes or more.
    fn count(&mut self, least: usize) -> Result<(), Error> {
        let added = self.text.len() - self.counted;
        if added < least {
            return Ok(());
        }
        self.counted = self.text.len();
        self.memory.grow(added)
    }

    /// Counts the rest, and returns the text.
    pub(in crate::g::documentdb) fn finish(mut self) -> Result<String, Error> {
        self.count(0)?;
        Ok(self.text)
    }
}

impl Deref for Out<'_> {
    type Target = String;

    fn deref(&self) -> &String {
        &self.text
    }
}

impl DerefMut for Out<'_> {
    fn deref_mut(&mut self) -> &mut String {
        &mut self.text
    }
}

/// Appends a document to a text.
///
/// Fails with `data` for a document that JavaScript can't represent.
pub(in crate::g::documentdb) fn document(out: &mut Out<'_>, document: &RawDocument) -> Result<(), Error> {
    members(out, document, 0)
}

/// Appends a value to a text. Fails as [`document`] does.
pub(in crate::g::documentdb) fn value(out: &mut Out<'_>, value: RawBsonRef<'_>) -> Result<(), Error> {
    any(out, value, 0)
}

fn data(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::Data, message)
}

fn unreadable(_: mongodb::bson::error::Error) -> Error {
    data("the server sent a document that is not valid BSON")
}

fn members(out: &mut Out<'_>, document: &RawDocument, depth: usize) -> Result<(), Error> {
    if depth >= MAX_READ_DEPTH {
        return Err(data(format!("the server sent a document that is nested deeper than {MAX_READ_DEPTH} levels")));
    }
    let mut members: Vec<(&str, RawBsonRef<'_>)> = Vec::with_capacity(8);
    for member in document.iter() {
        let (name, value) = member.map_err(unreadable)?;
        members.push((name.as_str(), value));
    }
    check_names(&members)?;
    out.push('{');
    remark(out, &members);
    for (name, value) in members {
        length_prefixed(out, name);
        any(out, value, depth + 1)?;
    }
    out.push('}');
    Ok(())
}

/// Rejects a document with two members of the same name, since a JavaScript object would have only one of them.
fn check_names(members: &[(&str, RawBsonRef<'_>)]) -> Result<(), Error> {
    let twice = if members.len() <= FEW_MEMBERS {
        members.iter().enumerate().find(|(at, (name, _))| members[..*at].iter().any(|(other, _)| other == name))
    } else {
        let mut known = HashSet::new();
        members.iter().enumerate().find(|(_, (name, _))| !known.insert(*name))
    };
    match twice {
        Some((_, (name, _))) => {
            Err(data(format!("the server sent a document with two members {name:?}, which JavaScript can't hold")))
        }
        None => Ok(()),
    }
}

fn is_small_long(value: &RawBsonRef<'_>) -> bool {
    matches!(value, RawBsonRef::Int64(number) if i32::try_from(*number).is_ok())
}

/// Writes a remark (`documentdb.wit`), if one is needed. It contains what a JavaScript object can't represent: the
/// order of the members, int64s that fit into an int32, and that the document is not Extended JSON although it looks
/// like it.
fn remark(out: &mut String, members: &[(&str, RawBsonRef<'_>)]) {
    let is_reordered = is_reordered(members.iter().map(|(name, _)| *name));
    let has_longs = members.iter().any(|(_, value)| is_small_long(value));
    let looks_extended = members.first().is_some_and(|(name, _)| name.starts_with('$'));
    if !(is_reordered || has_longs || looks_extended) {
        return;
    }
    let mut remark = String::from(if is_reordered { "o" } else { "p" });
    for (name, value) in members {
        let is_long = is_small_long(value);
        if is_reordered || is_long {
            remark.push(if is_long { 'l' } else { 'm' });
            length_prefixed(&mut remark, name);
        }
    }
    out.push('!');
    length_prefixed(out, &remark);
}

/// Whether a JavaScript object would have these names in another order: there, names that are indexes come first, in
/// ascending order.
fn is_reordered<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    let (mut last_index, mut has_other) = (None, false);
    for name in names {
        match index(name) {
            Some(index) if has_other || last_index.is_some_and(|last| last > index) => return true,
            Some(index) => last_index = Some(index),
            None => has_other = true,
        }
    }
    false
}

/// Returns a name as an index, if JavaScript takes it for one: `12`, but not `012`.
fn index(name: &str) -> Option<u32> {
    let is_canonical = name == "0" || name.as_bytes().first().is_some_and(|first| (b'1'..=b'9').contains(first));
    if is_canonical && name.len() <= 10 { name.parse().ok() } else { None }
}

fn array(out: &mut Out<'_>, items: &RawArray, depth: usize) -> Result<(), Error> {
    if depth >= MAX_READ_DEPTH {
        return Err(data(format!("the server sent a document that is nested deeper than {MAX_READ_DEPTH} levels")));
    }
    out.push('[');
    let mut longs = String::new();
    for (index, item) in items.into_iter().enumerate() {
        if is_small_long(&item.map_err(unreadable)?) {
            longs.push('l');
            length_prefixed(&mut longs, &index.to_string());
        }
    }
    if !longs.is_empty() {
        out.push('!');
        length_prefixed(out, &format!("p{longs}"));
    }
    for item in items {
        any(out, item.map_err(unreadable)?, depth + 1)?;
    }
    out.push(']');
    Ok(())
}

fn any(out: &mut Out<'_>, value: RawBsonRef<'_>, depth: usize) -> Result<(), Error> {
    out.count(COUNTED_BYTES)?;
    match value {
        RawBsonRef::Null => out.push('n'),
        RawBsonRef::Boolean(boolean) => out.push(if boolean { 't' } else { 'f' }),
        RawBsonRef::Int32(number) => formatted(out, format_args!("i{number};")),
        RawBsonRef::Int64(number) => formatted(out, format_args!("l{number};")),
        // `{:?}` writes large numbers with an exponent; `{}` would write 1e308 with 309 digits.
        RawBsonRef::Double(number) => formatted(out, format_args!("d{number:?};")),
        RawBsonRef::String(text) => lettered(out, 's', text),
        RawBsonRef::Document(inner) => return members(out, inner, depth),
        RawBsonRef::Array(items) => return array(out, items, depth),
        RawBsonRef::ObjectId(id) => {
            out.push('O');
            hex(out, &id.bytes());
        }
        RawBsonRef::DateTime(date) => match date.timestamp_millis() {
            time if time.unsigned_abs() <= MAX_DATE => formatted(out, format_args!("D{time};")),
            time => {
                extended(out, "$date", |out| extended(out, "$numberLong", |out| lettered(out, 's', &time.to_string())))
            }
        },
        RawBsonRef::Decimal128(number) => return decimal(out, number),
        RawBsonRef::Binary(binary) => self::binary(out, binary.subtype, binary.bytes),
        RawBsonRef::Timestamp(at) => formatted(out, format_args!("T{}:{};", at.time, at.increment)),
        RawBsonRef::RegularExpression(regex) => {
            lettered(out, 'R', regex.pattern.as_str());
            length_prefixed(out, regex.options.as_str());
        }
        RawBsonRef::JavaScriptCode(code) => lettered(out, 'C', code),
        RawBsonRef::JavaScriptCodeWithScope(code) => {
            lettered(out, 'W', code.code);
            return members(out, code.scope, depth);
        }
        RawBsonRef::Symbol(symbol) => extended(out, "$symbol", |out| lettered(out, 's', symbol)),
        RawBsonRef::Undefined => extended(out, "$undefined", |out| out.push('t')),
        RawBsonRef::MinKey => out.push('m'),
        RawBsonRef::MaxKey => out.push('M'),
        RawBsonRef::DbPointer(_) => {
            return Err(data("the server sent a DBPointer, a deprecated type that ghost can't read"));
        }
    }
    Ok(())
}

/// Writes an object of Extended JSON with one member.
fn extended(out: &mut String, name: &str, value: impl FnOnce(&mut String)) {
    out.push('{');
    length_prefixed(out, name);
    value(out);
    out.push('}');
}

fn decimal(out: &mut String, number: Decimal128) -> Result<(), Error> {
    let text = number.to_string();
    // An encoding that can't be written as text, such as a NaN with a payload, would change when it is written back.
    if text.parse::<Decimal128>().ok() != Some(number) {
        return Err(data("the server sent a Decimal128 in an encoding that has no text"));
    }
    lettered(out, 'N', &text);
    Ok(())
}

fn binary(out: &mut String, subtype: BinarySubtype, bytes: &[u8]) {
    if let (BinarySubtype::Uuid, Ok(bytes)) = (subtype, <[u8; 16]>::try_from(bytes)) {
        return formatted(out, format_args!("U{}", Uuid::from_bytes(bytes)));
    }
    formatted(out, format_args!("b{};", u8::from(subtype)));
    length_prefixed(out, &BASE64.encode(bytes));
}

fn lettered(out: &mut String, letter: char, text: &str) {
    out.push(letter);
    length_prefixed(out, text);
}

/// Writes the length of a text, a colon and the text.
fn length_prefixed(out: &mut String, text: &str) {
    formatted(out, format_args!("{}:", text.len()));
    out.push_str(text);
}

fn formatted(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A `String` can't fail.
    let _infallible = out.write_fmt(text);
}
