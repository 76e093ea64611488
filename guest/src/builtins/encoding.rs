//! TextEncoder and TextDecoder: converts between text and bytes according to the Encoding Standard.

use std::borrow::Cow;

use javy::quickjs::{Ctx, FromJs, Result, String as Text, TypedArray, Value};

use super::lossy;

/// An encoding that TextDecoder supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

/// Each encoding with its name and its labels.
const ENCODINGS: [(Encoding, &str, &[&str]); 4] = [
    (
        Encoding::Utf8,
        "utf-8",
        &["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"],
    ),
    (
        Encoding::Utf16Le,
        "utf-16le",
        &["utf-16le", "utf-16", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff"],
    ),
    (Encoding::Utf16Be, "utf-16be", &["utf-16be", "unicodefffe"]),
    (
        Encoding::Windows1252,
        "windows-1252",
        &[
            "windows-1252",
            "latin1",
            "iso-8859-1",
            "ascii",
            "us-ascii",
            "ansi_x3.4-1968",
            "cp1252",
            "cp819",
            "csisolatin1",
            "ibm819",
            "iso-ir-100",
            "iso8859-1",
            "iso88591",
            "iso_8859-1",
            "iso_8859-1:1987",
            "l1",
            "x-cp1252",
        ],
    ),
];

/// The characters of windows-1252 from 0x80 to 0x9f; the others are those of Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl<'js> FromJs<'js> for Encoding {
    /// Reads the name of an encoding.
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let name = String::from_js(ctx, value)?;
        let named = ENCODINGS.iter().find(|(_, known, _)| *known == name);
        named.map(|(encoding, ..)| *encoding).ok_or(javy::quickjs::Error::Unknown)
    }
}

/// Returns the name of the encoding with a label.
pub fn encoding_name(label: &str) -> Option<&'static str> {
    let label = label.trim_matches(['\t', '\n', '\u{c}', '\r', ' ']).to_ascii_lowercase();
    ENCODINGS.iter().find(|(.., labels)| labels.contains(&label.as_str())).map(|(_, name, _)| *name)
}

/// Encodes a string as UTF-8.
pub fn encode<'js>(ctx: Ctx<'js>, text: Text<'js>) -> Result<Value<'js>> {
    Ok(TypedArray::<u8>::new(ctx, lossy(&text)?.into_bytes())?.into_value())
}

/// Decodes bytes. Invalid ones are replaced; with `fatal`, the result is then none.
pub fn decode<'js>(
    ctx: Ctx<'js>,
    encoding: Encoding,
    bytes: TypedArray<'js, u8>,
    fatal: bool,
) -> Result<Option<Text<'js>>> {
    let bytes = bytes.as_bytes().unwrap_or_default();
    let text = match encoding {
        Encoding::Utf8 if fatal => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Encoding::Utf8 => Some(String::from_utf8_lossy(bytes)),
        Encoding::Utf16Le => utf_16(bytes, u16::from_le_bytes, fatal).map(Cow::Owned),
        Encoding::Utf16Be => utf_16(bytes, u16::from_be_bytes, fatal).map(Cow::Owned),
        Encoding::Windows1252 => Some(bytes.iter().map(|byte| windows_1252(*byte)).collect()),
    };
    text.map(|text| Text::from_str(ctx, &text)).transpose()
}

/// Returns the length of the bytes without an incomplete character at their end.
pub fn complete_length(encoding: Encoding, bytes: TypedArray<'_, u8>) -> usize {
    let bytes = bytes.as_bytes().unwrap_or_default();
    bytes.len()
        - match encoding {
            Encoding::Utf8 => incomplete_utf_8(bytes),
            Encoding::Utf16Le => incomplete_utf_16(bytes, u16::from_le_bytes),
            Encoding::Utf16Be => incomplete_utf_16(bytes, u16::from_be_bytes),
            Encoding::Windows1252 => 0,
        }
}

fn incomplete_utf_8(bytes: &[u8]) -> usize {
    let is_incomplete = |length: &usize| {
        let end = &bytes[bytes.len() - length..];
        std::str::from_utf8(end).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..=bytes.len().min(3)).find(is_incomplete).unwrap_or(0)
}

fn incomplete_utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> usize {
    let (units, half) = bytes.as_chunks();
    let pair = units.last().is_some_and(|last| is_high_surrogate(unit(*last)));
    half.len() + if pair { 2 } else { 0 }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16, fatal: bool) -> Option<String> {
    let (units, half) = bytes.as_chunks();
    let decoded = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    let mut text = String::with_capacity(bytes.len());
    for character in decoded {
        match character {
            Err(_) if fatal => return None,
            character => text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
    // Half a unit after half a pair belongs to the same character.
    let follows_pair = units.last().is_some_and(|last| is_high_surrogate(unit(*last)));
    match half {
        [_] if fatal => return None,
        [_] if !follows_pair => text.push(char::REPLACEMENT_CHARACTER),
        _ => {}
    }
    Some(text)
}

fn is_high_surrogate(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
