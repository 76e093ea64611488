//! Values that are made of others: arrays, ranges, composites.

use tokio_postgres::types::{Field, Type};

use super::{Malformed, Written, fixed, is_bytes, json, quote, take, take_i32, take_value, text};

/// The header of an array, and its items.
struct Array<'a> {
    /// Length and first index of each dimension.
    dimensions: Vec<(usize, i32)>,
    items: &'a [u8],
}

impl<'a> Array<'a> {
    fn read(mut raw: &'a [u8]) -> Result<Self, Malformed> {
        let count = take_i32(&mut raw)?;
        let (_has_null, _type_of_items) = (take_i32(&mut raw)?, take_i32(&mut raw)?);
        let mut dimensions = Vec::new();
        for _ in 0..count {
            let length = usize::try_from(take_i32(&mut raw)?).map_err(|_| Malformed)?;
            dimensions.push((length, take_i32(&mut raw)?));
        }
        Ok(Self { dimensions, items: raw })
    }

    /// Writes the items in brackets, a pair for each dimension.
    fn write(
        &self,
        out: &mut String,
        (open, separator, close): (char, char, char),
        mut item: impl FnMut(&mut String, Option<&[u8]>) -> Written,
    ) -> Written {
        if self.dimensions.is_empty() {
            out.extend([open, close]);
            return Ok(());
        }
        let total: usize = self.dimensions.iter().map(|(length, _)| length).product();
        let mut items = self.items;
        for at in 0..total {
            if at > 0 {
                let closed = self.edges(at);
                out.extend(std::iter::repeat_n(close, closed));
                out.push(separator);
                out.extend(std::iter::repeat_n(open, closed));
            } else {
                out.extend(std::iter::repeat_n(open, self.dimensions.len()));
            }
            item(out, take_value(&mut items)?)?;
        }
        out.extend(std::iter::repeat_n(close, self.dimensions.len()));
        Ok(())
    }

    /// How many dimensions begin anew at an item.
    fn edges(&self, at: usize) -> usize {
        let mut size = 1;
        let inner = self.dimensions.iter().skip(1).rev();
        inner
            .take_while(|(length, _)| {
                size *= length;
                at.is_multiple_of(size)
            })
            .count()
    }
}

/// Writes an array as JSON. One that does not start at 1 would lose that: it is text.
pub(super) fn json_array(out: &mut String, item: &Type, raw: &[u8]) -> Written {
    let array = Array::read(raw)?;
    if array.dimensions.iter().any(|(_, first)| *first != 1) {
        if is_bytes(item) {
            return Err(Malformed);
        }
        let mut plain = String::new();
        self::array(&mut plain, item, raw)?;
        quote(out, &plain);
        return Ok(());
    }
    array.write(out, ('[', ',', ']'), |out, raw| match raw {
        Some(raw) => json(out, item, raw),
        None => {
            *out += "null";
            Ok(())
        }
    })
}

/// `{1,NULL,"a b"}`, `[0:1]={1,2}`
pub(super) fn array(out: &mut String, item: &Type, raw: &[u8]) -> Written {
    let array = Array::read(raw)?;
    if array.dimensions.iter().any(|(_, first)| *first != 1) {
        for (length, first) in &array.dimensions {
            let last = i64::from(*first) + i64::try_from(*length).map_err(|_| Malformed)? - 1;
            *out += &format!("[{first}:{last}]");
        }
        out.push('=');
    }
    array.write(out, ('{', ',', '}'), |out, raw| {
        let Some(raw) = raw else {
            *out += "NULL";
            return Ok(());
        };
        let mut plain = String::new();
        text(&mut plain, item, raw)?;
        let marks = |one: char| matches!(one, '"' | '\\' | '{' | '}' | ',') || is_space(one);
        match plain.is_empty() || plain.eq_ignore_ascii_case("null") || plain.contains(marks) {
            true => escaped(out, &plain, "\\"),
            false => *out += &plain,
        }
        Ok(())
    })
}

/// `("a b",,1)`
pub(super) fn composite(out: &mut String, fields: &[Field], mut raw: &[u8]) -> Written {
    if usize::try_from(take_i32(&mut raw)?).ok() != Some(fields.len()) {
        return Err(Malformed);
    }
    for (at, field) in fields.iter().enumerate() {
        out.push(if at == 0 { '(' } else { ',' });
        let _type = take_i32(&mut raw)?;
        if let Some(value) = take_value(&mut raw)? {
            part(out, field.type_(), value, COMPOSITE_MARKS)?;
        }
    }
    *out += if fields.is_empty() { "()" } else { ")" };
    Ok(())
}

/// `[1,5)`, `(,"a b"]`, `empty`
pub(super) fn range(out: &mut String, item: &Type, mut raw: &[u8]) -> Written {
    const EMPTY: u8 = 1;
    const LOWER_INCLUSIVE: u8 = 2;
    const UPPER_INCLUSIVE: u8 = 4;
    const LOWER_INFINITE: u8 = 8;
    const UPPER_INFINITE: u8 = 16;
    let [flags] = fixed(take(&mut raw, 1)?)?;
    let is = |flag| flags & flag != 0;
    if is(EMPTY) {
        *out += "empty";
        return Ok(());
    }
    out.push(if is(LOWER_INCLUSIVE) { '[' } else { '(' });
    if !is(LOWER_INFINITE) {
        part(out, item, take_value(&mut raw)?.ok_or(Malformed)?, RANGE_MARKS)?;
    }
    out.push(',');
    if !is(UPPER_INFINITE) {
        part(out, item, take_value(&mut raw)?.ok_or(Malformed)?, RANGE_MARKS)?;
    }
    out.push(if is(UPPER_INCLUSIVE) { ']' } else { ')' });
    Ok(())
}

/// `{[1,5),[7,8)}`
pub(super) fn multirange(out: &mut String, item: &Type, mut raw: &[u8]) -> Written {
    let count = take_i32(&mut raw)?;
    out.push('{');
    for at in 0..count {
        if at > 0 {
            out.push(',');
        }
        range(out, item, take_value(&mut raw)?.ok_or(Malformed)?)?;
    }
    out.push('}');
    Ok(())
}

const COMPOSITE_MARKS: &[char] = &['"', '\\', '(', ')', ','];
const RANGE_MARKS: &[char] = &['"', '\\', '(', ')', '[', ']', ','];

/// A part of a composite or a range, in quotes when it is empty or has one of these marks.
fn part(out: &mut String, ty: &Type, raw: &[u8], marks: &[char]) -> Written {
    let mut plain = String::new();
    text(&mut plain, ty, raw)?;
    match plain.is_empty() || plain.contains(|one| marks.contains(&one) || is_space(one)) {
        true => escaped(out, &plain, ""),
        false => *out += &plain,
    }
    Ok(())
}

/// In quotes. `mark` stands before a quote; without one it is doubled, and so is a backslash.
fn escaped(out: &mut String, plain: &str, mark: &str) {
    out.push('"');
    for character in plain.chars() {
        match (character, mark) {
            ('"' | '\\', "") => out.push(character),
            ('"' | '\\', mark) => *out += mark,
            _ => {}
        }
        out.push(character);
    }
    out.push('"');
}

/// What the server takes for white space.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}
