//! Values of the server, in its binary form, to the JSON that a script gets.
//!
//! Types that are not known here come as text from the server itself: see [`is_known`] and `statement.rs`.

mod nested;
mod numeric;
mod text;
mod time;

use std::fmt::Write;

use tokio_postgres::types::{Field, Kind, Type};

pub(super) use text::text;

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

type Written = Result<(), Malformed>;

/// Whether the values of a type can be read here. Some differ with the settings of the server, some are an extension's.
pub(super) fn is_known(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Enum(_) => true,
        Kind::Domain(base) => is_known(base),
        Kind::Array(item) => !matches!(*ty, Type::INT2_VECTOR | Type::OID_VECTOR) && is_known(item),
        Kind::Range(item) | Kind::Multirange(item) => is_known(item) && !has_float(item),
        Kind::Composite(fields) => fields.iter().map(Field::type_).all(|field| is_known(field) && !has_float(field)),
        _ => is_json(ty) || text::is_known(ty),
    }
}

/// Of several texts for a float that mean the same, the server does not always choose the one that is chosen here.
fn has_float(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Domain(inner) | Kind::Array(inner) => has_float(inner),
        _ => matches!(*ty, Type::FLOAT4 | Type::FLOAT8),
    }
}

fn is_json(ty: &Type) -> bool {
    matches!(*ty, Type::JSON | Type::JSONB)
}

/// Whether a script gets a Uint8Array, or an array of them.
pub(super) fn is_bytes(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Domain(inner) | Kind::Array(inner) => is_bytes(inner),
        _ => *ty == Type::BYTEA,
    }
}

/// Writes a value as JSON. Binary data is hexadecimal text: whoever reads it knows the column.
pub(super) fn json(out: &mut String, ty: &Type, raw: &[u8]) -> Written {
    if let Kind::Domain(base) = ty.kind() {
        return json(out, base, raw);
    }
    match *ty {
        Type::BOOL => *out += if raw == [0] { "false" } else { "true" },
        Type::INT2 => write!(out, "{}", i16::from_be_bytes(fixed(raw)?))?,
        Type::INT4 => write!(out, "{}", i32::from_be_bytes(fixed(raw)?))?,
        Type::FLOAT4 => float(out, f32::from_be_bytes(fixed(raw)?).into(), f32::from_be_bytes(fixed(raw)?))?,
        Type::FLOAT8 => float(out, f64::from_be_bytes(fixed(raw)?), f64::from_be_bytes(fixed(raw)?))?,
        Type::JSON => *out += std::str::from_utf8(raw)?,
        Type::JSONB => *out += std::str::from_utf8(raw.strip_prefix(&[1]).ok_or(Malformed)?)?,
        Type::BYTEA => {
            out.push('"');
            hex(out, raw);
            out.push('"');
        }
        Type::TIMESTAMP => quoted(out, |out| time::iso_timestamp(out, i64::from_be_bytes(fixed(raw)?), ""))?,
        Type::TIMESTAMPTZ => quoted(out, |out| time::iso_timestamp(out, i64::from_be_bytes(fixed(raw)?), "Z"))?,
        _ if text::is_text(ty) => quote(out, std::str::from_utf8(raw)?),
        _ => match ty.kind() {
            Kind::Array(item) => nested::json_array(out, item, raw)?,
            Kind::Enum(_) => quote(out, std::str::from_utf8(raw)?),
            _ => {
                let mut plain = String::new();
                text(&mut plain, ty, raw)?;
                quote(out, &plain);
            }
        },
    }
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

/// A JSON string.
pub(super) fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        *out += &rest[..at];
        match rest.as_bytes()[at] {
            b'\n' => *out += "\\n",
            mark @ (b'"' | b'\\') => out.extend(['\\', mark.into()]),
            control => out.extend(format!("\\u{control:04x}").chars()),
        }
        rest = &rest[at + 1..];
    }
    *out += rest;
    out.push('"');
}

fn hex(out: &mut String, raw: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in raw {
        out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]].map(char::from));
    }
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

/// Takes off a value with its length in front; none for NULL.
fn take_value<'a>(raw: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Malformed> {
    match take_i32(raw)? {
        -1 => Ok(None),
        length => Ok(Some(take(raw, usize::try_from(length).map_err(|_| Malformed)?)?)),
    }
}

#[cfg(test)]
mod tests;
