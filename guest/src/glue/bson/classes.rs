//! The classes of `g.documentdb`, which are in JavaScript (`classes.js`).

use javy::quickjs::{Ctx, Object, Result, String as JsString, TypedArray, Value};

use crate::glue::{Intrinsics, define};

/// The names of the classes, in the order of [`Class`].
pub const NAMES: [&str; 9] =
    ["ObjectId", "Decimal128", "Binary", "UUID", "Timestamp", "Long", "Code", "MinKey", "MaxKey"];

/// A class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    ObjectId,
    Decimal128,
    Binary,
    Uuid,
    Timestamp,
    Long,
    Code,
    MinKey,
    MaxKey,
}

/// All classes.
pub const ALL: [Class; 9] = [
    Class::ObjectId,
    Class::Decimal128,
    Class::Binary,
    Class::Uuid,
    Class::Timestamp,
    Class::Long,
    Class::Code,
    Class::MinKey,
    Class::MaxKey,
];

/// Adds classes to a namespace, by the names that its WIT lists.
pub fn add(namespace: &Object<'_>, _: &str, names: &[&str]) -> Result<()> {
    let intrinsics = Intrinsics::of(namespace.ctx())?;
    for name in names {
        let class: Object = intrinsics.bson.classes.get(*name)?;
        define(namespace, name, class.into_value())?;
    }
    Ok(())
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Converts bytes to Base64.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let six = bits >> (18 - 6 * digit) & 63;
            text.push(if digit <= group.len() { ALPHABET[six as usize] as char } else { '=' });
        }
    }
    text
}

/// Base64 of a Uint8Array, for `classes.js`.
pub fn encode(bytes: TypedArray<'_, u8>) -> String {
    base64(bytes.as_bytes().unwrap_or_default())
}

/// The bytes of Base64 that `classes.js` has checked.
pub fn decode<'js>(ctx: Ctx<'js>, text: JsString<'js>) -> Result<Value<'js>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in text.to_string()?.bytes() {
        let Some(six) = ALPHABET.iter().position(|known| *known == digit) else { break };
        bits = bits << 6 | six as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Ok(TypedArray::<u8>::new(ctx, bytes)?.into_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        let rows = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in rows {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
