//! Values of the server to the JSON that a script gets. Those of types that are known here come in binary, which no setting
//! of the server changes; all others as the server's own text: see [`format`].

mod array;
mod numeric;
mod text;
mod time;

use std::fmt::Write;

use postgres_types::Type as Builtin;
use serde::de::IgnoredAny;

use super::wire::{Format, Short, Type, take_value};
use crate::{
    data::validate::nesting,
    g::json::{hex, quote},
};

/// How deep a document of JSON may be nested: the stack that PostgreSQL has as it is installed ends before, the one of a
/// script's parser later.
const DEPTH: usize = 20_000;

/// A name in a message: in quotes, without what a terminal obeys, and not too long.
pub(super) fn shown(name: &str) -> String {
    let mut short: String = name.chars().take(64).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// Bytes that are not what their type says.
#[derive(Debug)]
pub(super) struct Malformed;

impl From<std::str::Utf8Error> for Malformed {
    fn from(_: std::str::Utf8Error) -> Self {
        Self
    }
}

impl From<std::fmt::Error> for Malformed {
    fn from(_: std::fmt::Error) -> Self {
        Self
    }
}

impl From<Short> for Malformed {
    fn from(_: Short) -> Self {
        Self
    }
}

type Written = Result<(), Malformed>;

/// How the values of a type are asked for. Of some the binary form differs with the server, of others it is an extension's.
pub(super) fn format(ty: &Type) -> Format {
    if is_known(ty) { Format::Binary } else { Format::Text }
}

fn is_known(ty: &Type) -> bool {
    match ty {
        Type::Builtin(builtin) => is_json(builtin) || text::is_known(builtin),
        Type::Array { item, .. } => is_known(item),
        Type::Other(_) => false,
    }
}

fn is_json(builtin: &Builtin) -> bool {
    matches!(*builtin, Builtin::JSON | Builtin::JSONB)
}

/// Whether a script gets a Uint8Array, or an array of them.
pub(super) fn is_bytes(ty: &Type) -> bool {
    match ty {
        Type::Array { item, .. } => is_bytes(item),
        _ => ty.is(&Builtin::BYTEA),
    }
}

/// Whether a script gets a number that JSON may have no form for, or an array of them.
pub(super) fn is_float(ty: &Type) -> bool {
    match ty {
        Type::Array { item, .. } => is_float(item),
        _ => ty.is(&Builtin::FLOAT4) || ty.is(&Builtin::FLOAT8),
    }
}

/// Writes a value as JSON. Binary data is hexadecimal text, NaN and the infinities are text: whoever reads it knows the column.
pub(super) fn json(out: &mut String, ty: &Type, format: Format, raw: &[u8]) -> Written {
    match format {
        Format::Binary => binary(out, ty, raw),
        Format::Text => plain(out, ty, std::str::from_utf8(raw)?),
    }
}

/// A value as the server shows it.
fn plain(out: &mut String, ty: &Type, text: &str) -> Written {
    match ty {
        Type::Array { item, separator, .. } => array::read_text(out, item, *separator, text)?,
        _ => quote(out, text),
    }
    Ok(())
}

/// A value as its type has it.
fn binary(out: &mut String, ty: &Type, raw: &[u8]) -> Written {
    let builtin = match ty {
        Type::Builtin(builtin) => builtin,
        Type::Array { item, oid, .. } => return array::read(out, item, *oid, raw),
        Type::Other(_) => return Err(Malformed),
    };
    match *builtin {
        Builtin::BOOL => *out += if raw == [0] { "false" } else { "true" },
        Builtin::INT2 => write!(out, "{}", i16::from_be_bytes(fixed(raw)?))?,
        Builtin::INT4 => write!(out, "{}", i32::from_be_bytes(fixed(raw)?))?,
        Builtin::FLOAT4 => float(out, f32::from_be_bytes(fixed(raw)?).into(), f32::from_be_bytes(fixed(raw)?))?,
        Builtin::FLOAT8 => float(out, f64::from_be_bytes(fixed(raw)?), f64::from_be_bytes(fixed(raw)?))?,
        Builtin::JSON => document(out, raw)?,
        Builtin::JSONB => document(out, raw.strip_prefix(&[1]).ok_or(Malformed)?)?,
        Builtin::BYTEA => {
            out.push('"');
            hex(out, raw);
            out.push('"');
        }
        Builtin::TIMESTAMP => quoted(out, |out| time::iso_timestamp(out, i64::from_be_bytes(fixed(raw)?), ""))?,
        Builtin::TIMESTAMPTZ => quoted(out, |out| time::iso_timestamp(out, i64::from_be_bytes(fixed(raw)?), "Z"))?,
        _ if text::is_text(builtin) => quote(out, std::str::from_utf8(raw)?),
        // None of these texts needs an escape.
        _ => quoted(out, |out| text::text(out, builtin, raw))?,
    }
    Ok(())
}

/// A document of JSON, as it is. It becomes a part of what crosses, so one that a server only calls JSON is refused here, and
/// so is one that the script's own parser would not get through.
fn document(out: &mut String, raw: &[u8]) -> Written {
    let text = std::str::from_utf8(raw)?;
    // First, as the check of the rest remembers each level.
    if nesting(text) > DEPTH {
        return Err(Malformed);
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|_| Malformed)?;
    *out += text;
    Ok(())
}

/// A number as JavaScript reads it back; what JSON has no number for, as text.
fn float(out: &mut String, wide: f64, number: impl std::fmt::Display + std::fmt::LowerExp) -> Written {
    match wide.abs() {
        size if !size.is_finite() => quoted(out, |out| text::float8(out, wide)),
        size if size != 0.0 && !(1e-6..1e17).contains(&size) => Ok(write!(out, "{number:e}")?),
        _ => Ok(write!(out, "{number}")?),
    }
}

/// A text that needs no escapes.
fn quoted(out: &mut String, write: impl FnOnce(&mut String) -> Written) -> Written {
    out.push('"');
    write(out)?;
    out.push('"');
    Ok(())
}

/// A value that is a text, and needs no other form.
pub(super) fn whole_text<'r>(ty: &Type, format: Format, raw: &'r [u8]) -> Option<&'r str> {
    let is_text = match ty {
        Type::Array { .. } => false,
        Type::Builtin(builtin) => format == Format::Text || text::is_text(builtin),
        Type::Other(_) => format == Format::Text,
    };
    if is_text { std::str::from_utf8(raw).ok() } else { None }
}

/// A text as it is, with its length before it: nobody has to look for its end, or for what needs an escape.
pub(super) fn counted(out: &mut String, text: &str) {
    out.push('s');
    *out += &text.len().to_string();
    out.push(':');
    *out += text;
}

/// A value of a fixed length.
fn fixed<const N: usize>(raw: &[u8]) -> Result<[u8; N], Malformed> {
    raw.try_into().map_err(|_| Malformed)
}

/// Takes the next part off.
fn take<'a>(raw: &mut &'a [u8], length: usize) -> Result<&'a [u8], Malformed> {
    let (part, rest) = raw.split_at_checked(length).ok_or(Malformed)?;
    *raw = rest;
    Ok(part)
}

fn take_i32(raw: &mut &[u8]) -> Result<i32, Malformed> {
    Ok(i32::from_be_bytes(fixed(take(raw, 4)?)?))
}

#[cfg(test)]
mod tests;
