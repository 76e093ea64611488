//! Values of types that are made of no other, as the text that `psql` shows.

use std::fmt::Write;

use postgres_types::Type;

use super::{Malformed, Written, fixed, hex, is_json, numeric::numeric, time};

/// Types whose binary form is their text.
pub(super) fn is_text(ty: &Type) -> bool {
    matches!(*ty, Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN | Type::XML)
}

/// Whether a type is known.
pub(super) fn is_known(ty: &Type) -> bool {
    let numbers = [Type::INT2, Type::INT4, Type::INT8, Type::OID, Type::FLOAT4, Type::FLOAT8, Type::NUMERIC];
    let times = [Type::DATE, Type::TIME, Type::TIMETZ, Type::TIMESTAMP, Type::TIMESTAMPTZ, Type::INTERVAL];
    let others = [Type::BOOL, Type::BYTEA, Type::UUID, Type::BIT, Type::VARBIT];
    is_text(ty) || numbers.contains(ty) || times.contains(ty) || others.contains(ty)
}

/// Writes a value as text.
pub(super) fn text(out: &mut String, ty: &Type, raw: &[u8]) -> Written {
    match *ty {
        Type::BOOL => *out += if raw == [0] { "f" } else { "t" },
        Type::INT2 => write!(out, "{}", i16::from_be_bytes(fixed(raw)?))?,
        Type::INT4 => write!(out, "{}", i32::from_be_bytes(fixed(raw)?))?,
        Type::INT8 => write!(out, "{}", i64::from_be_bytes(fixed(raw)?))?,
        Type::OID => write!(out, "{}", u32::from_be_bytes(fixed(raw)?))?,
        Type::FLOAT4 => float4(out, f32::from_be_bytes(fixed(raw)?))?,
        Type::FLOAT8 => float8(out, f64::from_be_bytes(fixed(raw)?))?,
        Type::NUMERIC => numeric(out, raw)?,
        Type::DATE => time::date(out, i32::from_be_bytes(fixed(raw)?))?,
        Type::TIME => time::time(out, i64::from_be_bytes(fixed(raw)?))?,
        Type::TIMETZ => time::time_with_zone(out, raw)?,
        Type::TIMESTAMP => time::timestamp(out, i64::from_be_bytes(fixed(raw)?), "")?,
        Type::TIMESTAMPTZ => time::timestamp(out, i64::from_be_bytes(fixed(raw)?), "+00")?,
        Type::INTERVAL => time::interval(out, raw)?,
        Type::UUID => uuid(out, raw)?,
        Type::BIT | Type::VARBIT => bits(out, raw)?,
        Type::JSONB => plain(out, raw.strip_prefix(&[1]).ok_or(Malformed)?)?,
        Type::BYTEA => {
            *out += "\\x";
            hex(out, raw);
        }
        _ if is_text(ty) || is_json(ty) => plain(out, raw)?,
        _ => return Err(Malformed),
    }
    Ok(())
}

fn plain(out: &mut String, raw: &[u8]) -> Written {
    *out += std::str::from_utf8(raw)?;
    Ok(())
}

fn float4(out: &mut String, number: f32) -> Written {
    float(out, number.into(), &format!("{number:e}"), 6)
}

pub(super) fn float8(out: &mut String, number: f64) -> Written {
    float(out, number, &format!("{number:e}"), 15)
}

/// The shortest digits that mean the number, with an exponent from `most` digits before the point on.
fn float(out: &mut String, number: f64, shortest: &str, most: i32) -> Written {
    if number.is_nan() {
        *out += "NaN";
        return Ok(());
    }
    if number.is_infinite() {
        *out += if number > 0.0 { "Infinity" } else { "-Infinity" };
        return Ok(());
    }
    let (digits, exponent) = shortest.split_once('e').ok_or(Malformed)?;
    let exponent: i32 = exponent.parse().map_err(|_| Malformed)?;
    if number == 0.0 || (-4..most).contains(&exponent) {
        return positional(out, digits, exponent);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    Ok(write!(out, "{digits}e{sign}{:02}", exponent.abs())?)
}

/// `-1.25` and 3 as `-1250`
fn positional(out: &mut String, digits: &str, exponent: i32) -> Written {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    *out += sign;
    match usize::try_from(exponent) {
        Err(_) => {
            let zeros = exponent.unsigned_abs() as usize - 1;
            write!(out, "0.{:0>width$}", digits, width = zeros + digits.len())?;
        }
        Ok(exponent) if exponent + 1 >= digits.len() => write!(out, "{digits:0<width$}", width = exponent + 1)?,
        Ok(exponent) => write!(out, "{}.{}", &digits[..=exponent], &digits[exponent + 1..])?,
    }
    Ok(())
}

fn uuid(out: &mut String, raw: &[u8]) -> Written {
    let raw: [u8; 16] = fixed(raw)?;
    for (at, byte) in raw.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        hex(out, &[*byte]);
    }
    Ok(())
}

fn bits(out: &mut String, raw: &[u8]) -> Written {
    let (length, bits) = raw.split_at_checked(4).ok_or(Malformed)?;
    let length = usize::try_from(i32::from_be_bytes(fixed(length)?)).map_err(|_| Malformed)?;
    for at in 0..length {
        let byte = bits.get(at / 8).ok_or(Malformed)?;
        out.push(if byte >> (7 - at % 8) & 1 == 1 { '1' } else { '0' });
    }
    Ok(())
}
