//! Converts SQL values. `sqldb.wit` defines their format.

use javy::quickjs::{self, ArrayBuffer, Coerced, Ctx, Function, Object, TypedArray, Value, function::This};

#[cfg(feature = "external")]
pub use super::lines::lines;
#[cfg(feature = "external")]
pub use super::rows::rows;
use super::{
    Intrinsics,
    argument_path::ArgumentPath,
    borrow::Item,
    define,
    error::CallError,
    from_script::{is_plain, json, length, with_text, wrong_type},
    to_script,
};

/// The maximum depth of arrays. PostgreSQL has six dimensions, JSON may have more.
pub(super) const DEPTH: usize = 64;

/// The valid types of a parameter, for messages.
const ALLOWED: &str = "a SQL value: a string, number, boolean, null, BigInt, Date, Uint8Array, array or object";

/// Reads the parameters of a statement (`sql-values`).
pub fn values(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<String, CallError> {
    if !value.is_array() {
        return Err(wrong_type(path, "an array", value));
    }
    let mut out = String::new();
    items(&mut out, path, value, DEPTH)?;
    Ok(out)
}

fn items(out: &mut String, path: &ArgumentPath<'_>, value: &Value<'_>, depth: usize) -> Result<(), CallError> {
    let Some(array) = value.as_array() else { return Err(wrong_type(path, "an array", value)) };
    if depth == 0 {
        return Err(CallError::WrongType(format!("{path} is a cycle of arrays, or nested deeper than {DEPTH}")));
    }
    out.push('[');
    for index in 0..length(array)? {
        if index > 0 {
            out.push(',');
        }
        item(out, &ArgumentPath::Item(path, index), &*Item::of(array, index)?, depth)?;
    }
    out.push(']');
    Ok(())
}

/// Writes an item of `sql-values`.
pub(super) fn item(
    out: &mut String,
    path: &ArgumentPath<'_>,
    value: &Value<'_>,
    depth: usize,
) -> Result<(), CallError> {
    if plain(out, value) {
        return Ok(());
    }
    if let Some(string) = value.as_string() {
        with_text(path, string, |text| quote(out, text))?;
    } else if value.is_null() {
        *out += "null";
    } else if let Some(number) = value.as_number() {
        let mut text = ryu_js::Buffer::new();
        marked(out, "number", if number == 0.0 { "-0" } else { text.format(number) });
    } else if value.is_big_int() {
        marked(out, "bigint", &value.get::<Coerced<String>>()?.0);
    } else if value.is_array() {
        *out += "[\"array\",";
        items(out, path, value, depth - 1)?;
        out.push(']');
    } else {
        object(out, path, value)?;
    }
    Ok(())
}

/// Writes a boolean, or a number that JSON can represent, as JavaScript does. Returns false for other values.
pub(super) fn plain(out: &mut String, value: &Value<'_>) -> bool {
    if let Some(whole) = value.as_int() {
        *out += itoa::Buffer::new().format(whole);
    } else if let Some(boolean) = value.as_bool() {
        *out += if boolean { "true" } else { "false" };
    } else if let Some(number) = value.as_float().filter(|number| number.is_finite()) {
        // JSON has -0, but JavaScript prints 0.
        if number == 0.0 && number.is_sign_negative() {
            return false;
        }
        *out += ryu_js::Buffer::new().format_finite(number);
    } else {
        return false;
    }
    true
}

fn object(out: &mut String, path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<(), CallError> {
    let object = value.as_object().filter(|_| !value.is_function()).ok_or_else(|| wrong_type(path, ALLOWED, value))?;
    if let Some(bytes) = bytes(object) {
        marked(out, "bytes", &hex(&bytes));
    } else if let Some(iso) = date(path, value)? {
        marked(out, "date", &iso);
    } else {
        *out += "[\"json\",";
        *out += &members(path, object)?;
        out.push(']');
    }
    Ok(())
}

/// Converts an object to JSON. Rejects an instance of a class without members, which would be `{}`.
fn members(path: &ArgumentPath<'_>, object: &Object<'_>) -> Result<String, CallError> {
    let value = object.as_value();
    if Intrinsics::of(value.ctx())?.is_view.call((value.clone(),))? {
        let advice = "Array.from(array) converts it to numbers, new Uint8Array(array.buffer) to bytes";
        return Err(CallError::WrongType(format!(
            "{path} must be {ALLOWED}, not a typed array of another type: {advice}"
        )));
    }
    let text = json(path, value)?;
    if text == "{}" && !is_plain(object)? {
        let what = "an object without members of its own";
        return Err(CallError::WrongType(format!("{path} must be {ALLOWED}, not {what}")));
    }
    Ok(text)
}

/// Returns the bytes of a Uint8Array or an ArrayBuffer.
pub(super) fn bytes(object: &Object<'_>) -> Option<Vec<u8>> {
    if let Some(array) = object.as_typed_array::<u8>() {
        return Some(array.as_bytes().unwrap_or_default().to_vec());
    }
    object.as_array_buffer().map(|buffer: &ArrayBuffer<'_>| buffer.as_bytes().unwrap_or_default().to_vec())
}

/// Returns the ISO text of a Date; none for another object. Uses the original methods, which a script can't change.
fn date(path: &ArgumentPath<'_>, value: &Value<'_>) -> Result<Option<String>, CallError> {
    let ctx = value.ctx();
    let intrinsics = Intrinsics::of(ctx)?;
    match intrinsics.date_value.call::<_, f64>((This(value.clone()),)) {
        Err(error) if error.is_exception() => {
            ctx.catch();
            Ok(None)
        }
        Ok(time) if time.is_nan() => Err(CallError::OutOfBounds(format!("{path} is an invalid Date"))),
        Ok(_) => Ok(Some(intrinsics.date_text.call((This(value.clone()),))?)),
        Err(error) => Err(error.into()),
    }
}

fn marked(out: &mut String, kind: &str, text: &str) {
    *out += "[\"";
    *out += kind;
    *out += "\",\"";
    *out += text;
    *out += "\"]";
}

/// Writes a JSON string.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|character: char| character < ' ' || character == '"' || character == '\\') {
        *out += &rest[..at];
        *out += &format!("\\u{:04x}", rest.as_bytes()[at]);
        rest = &rest[at + 1..];
    }
    *out += rest;
    out.push('"');
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Converts a row or null (`sql-row`).
pub fn row<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let answer: Object<'js> = to_script::json(ctx, text)?.get()?;
    let row: Value<'js> = answer.get("row")?;
    if let Some(row) = row.as_object() {
        for (member, kind) in [("bytes", Kind::Bytes), ("floats", Kind::Float)] {
            for column in answer.get::<_, Vec<String>>(member)? {
                define(row, &column, kind.convert(row.get(&column)?)?)?;
            }
        }
    }
    Ok(row)
}

/// Converts a value (`sql-value`).
pub fn value<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let answer: Object<'js> = to_script::json(ctx, text)?.get()?;
    Kind::new(answer.get("bytes")?, answer.get("floats")?).convert(answer.get("value")?)
}

/// How to convert the texts in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// Hexadecimal text, converted to binary data.
    Bytes,
    /// Text of NaN and the infinities, converted to numbers.
    Float,
}

/// Returns the kind of each column.
pub(super) fn kinds(bytes: &[bool], floats: &[bool]) -> Vec<Kind> {
    bytes.iter().zip(floats).map(|(bytes, floats)| Kind::new(*bytes, *floats)).collect()
}

impl Kind {
    fn new(bytes: bool, floats: bool) -> Self {
        match (bytes, floats) {
            (true, _) => Self::Bytes,
            (_, true) => Self::Float,
            _ => Self::Text,
        }
    }

    /// Converts a value of the column.
    pub(super) fn convert<'js>(self, value: Value<'js>) -> quickjs::Result<Value<'js>> {
        match self {
            Self::Text => Ok(value),
            Self::Bytes => binary(value),
            Self::Float => float(value),
        }
    }
}

/// Converts the texts of NaN and the infinities, also inside arrays. Other texts stay, such as `[0:1]={1,2}`: the text of an
/// array whose lower bound is not 1.
fn float<'js>(value: Value<'js>) -> quickjs::Result<Value<'js>> {
    if let Some(array) = value.as_array() {
        for index in 0..array.len() {
            let item: Value<'js> = array.get(index)?;
            if item.is_string() || item.is_array() {
                array.set(index, float(item)?)?;
            }
        }
        return Ok(value);
    }
    let Some(text) = value.as_string() else { return Ok(value) };
    let number = match text.to_string()?.as_str() {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => return Ok(value),
    };
    Ok(Value::new_float(value.ctx().clone(), number))
}

/// Converts hexadecimal texts to Uint8Arrays, also inside arrays.
fn binary<'js>(value: Value<'js>) -> quickjs::Result<Value<'js>> {
    let ctx = value.ctx().clone();
    if let Some(array) = value.as_array() {
        for index in 0..array.len() {
            array.set(index, binary(array.get(index)?)?)?;
        }
        return Ok(value);
    }
    let Some(text) = value.as_string() else { return Ok(value) };
    let nibble = |digit: u8| (digit as char).to_digit(16).unwrap_or_default() as u8;
    let bytes: Vec<u8> = text
        .to_string()?
        .as_bytes()
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | nibble(*digit)))
        .collect();
    Ok(TypedArray::<u8>::new(ctx, bytes)?.into_value())
}

/// Returns `valueOf` and `toISOString` of Date, read before a script can change them.
pub fn date_methods<'js>(ctx: &Ctx<'js>) -> quickjs::Result<(Function<'js>, Function<'js>)> {
    let prototype: Object<'js> = ctx.globals().get::<_, Object<'js>>("Date")?.get("prototype")?;
    Ok((prototype.get("valueOf")?, prototype.get("toISOString")?))
}
