//! Arrays, in binary and as the server shows them.

use super::{
    Malformed, Type, Written, binary, is_bytes, is_float, is_known, plain, quote, take_i32, take_value, text::text,
};

/// The most dimensions that the server has.
const DIMENSIONS: usize = 6;

/// The header of an array, and its items.
struct Array<'a> {
    item: Type,
    /// Length and first index of each dimension.
    dimensions: Vec<(usize, i32)>,
    items: &'a [u8],
}

impl<'a> Array<'a> {
    /// `oid` is the number of the items' type. When another stands in the value, that is what the items are.
    fn read(item: &Type, oid: u32, mut raw: &'a [u8]) -> Result<Self, Malformed> {
        let count = usize::try_from(take_i32(&mut raw)?).ok().filter(|count| *count <= DIMENSIONS).ok_or(Malformed)?;
        let _has_null = take_i32(&mut raw)?;
        let item = match take_i32(&mut raw)?.cast_unsigned() {
            own if own == oid => item.clone(),
            own => Type::builtin(own).filter(|own| is_same_kind(own, item)).ok_or(Malformed)?,
        };
        let mut dimensions = Vec::new();
        for _ in 0..count {
            let length = usize::try_from(take_i32(&mut raw)?).map_err(|_| Malformed)?;
            dimensions.push((length, take_i32(&mut raw)?));
        }
        Ok(Self { item, dimensions, items: raw })
    }

    /// Whether it does not start at 1.
    fn has_bounds(&self) -> bool {
        self.dimensions.iter().any(|(_, first)| *first != 1)
    }

    /// How many items there are. Each takes four bytes at the least.
    fn count(&self) -> Result<usize, Malformed> {
        let count = self.dimensions.iter().try_fold(1_usize, |count, (length, _)| count.checked_mul(*length));
        count.filter(|count| *count <= self.items.len() / 4).ok_or(Malformed)
    }

    /// Writes the items in brackets, a pair for each dimension.
    fn write(
        &self,
        out: &mut String,
        (open, separator, close): (char, char, char),
        mut item: impl FnMut(&mut String, Option<&[u8]>) -> Written,
    ) -> Written {
        let count = if self.dimensions.is_empty() { 0 } else { self.count()? };
        if count == 0 {
            out.extend([open, close]);
            return Ok(());
        }
        let mut items = self.items;
        for at in 0..count {
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

/// Whether the script is told the same of both.
fn is_same_kind(own: &Type, other: &Type) -> bool {
    is_known(own) && is_bytes(own) == is_bytes(other) && is_float(own) == is_float(other)
}

/// Writes an array as JSON. One that does not start at 1 would lose that: it is text.
pub(super) fn read(out: &mut String, item: &Type, oid: u32, raw: &[u8]) -> Written {
    let array = Array::read(item, oid, raw)?;
    if array.has_bounds() {
        if is_bytes(item) {
            return Err(Malformed);
        }
        let mut shown = String::new();
        show(&mut shown, &array)?;
        quote(out, &shown);
        return Ok(());
    }
    array.write(out, ('[', ',', ']'), |out, raw| match raw {
        Some(raw) => binary(out, &array.item, raw),
        None => {
            *out += "null";
            Ok(())
        }
    })
}

/// `[0:1]={1,2}`
fn show(out: &mut String, array: &Array<'_>) -> Written {
    if array.has_bounds() {
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
        match &array.item {
            Type::Builtin(item) => text(&mut plain, item, raw)?,
            // Of a domain that is one.
            Type::Array { item, oid, .. } => show(&mut plain, &Array::read(item, *oid, raw)?)?,
            Type::Other(_) => return Err(Malformed),
        }
        let marks = |one: char| matches!(one, '"' | '\\' | '{' | '}' | ',') || is_space(one);
        match plain.is_empty() || plain.eq_ignore_ascii_case("null") || plain.contains(marks) {
            true => escaped(out, &plain),
            false => *out += &plain,
        }
        Ok(())
    })
}

fn escaped(out: &mut String, plain: &str) {
    out.push('"');
    for character in plain.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
}

/// What the server takes for white space.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

/// Writes the text of an array, as `{a,NULL,"b c"}`, as JSON. One that does not start at 1 is text.
pub(super) fn read_text(out: &mut String, item: &Type, separator: char, text: &str) -> Written {
    if text.starts_with('[') {
        quote(out, text);
        return Ok(());
    }
    let mut rest = text;
    level(out, item, separator, &mut rest, DIMENSIONS)?;
    if rest.is_empty() { Ok(()) } else { Err(Malformed) }
}

/// The text of one dimension. `deeper` is how many there may be.
fn level(out: &mut String, item: &Type, separator: char, rest: &mut &str, deeper: usize) -> Written {
    let deeper = deeper.checked_sub(1).ok_or(Malformed)?;
    take_char(rest, '{')?;
    out.push('[');
    if !rest.starts_with('}') {
        loop {
            match rest.starts_with('{') {
                true => level(out, item, separator, rest, deeper)?,
                false => item_text(out, item, separator, rest)?,
            }
            if !rest.starts_with(separator) {
                break;
            }
            out.push(',');
            take_char(rest, separator)?;
        }
    }
    take_char(rest, '}')?;
    out.push(']');
    Ok(())
}

fn item_text(out: &mut String, item: &Type, separator: char, rest: &mut &str) -> Written {
    if rest.starts_with('"') {
        return plain(out, item, &quoted_item(rest)?);
    }
    let end = rest.find([separator, '}']).ok_or(Malformed)?;
    let (text, behind) = rest.split_at(end);
    *rest = behind;
    match text {
        "NULL" => *out += "null",
        text => plain(out, item, text)?,
    }
    Ok(())
}

fn quoted_item(rest: &mut &str) -> Result<String, Malformed> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                *rest = &rest[at + 1..];
                return Ok(text);
            }
            '\\' => text.push(characters.next().ok_or(Malformed)?.1),
            other => text.push(other),
        }
    }
    Err(Malformed)
}

fn take_char(rest: &mut &str, expected: char) -> Written {
    *rest = rest.strip_prefix(expected).ok_or(Malformed)?;
    Ok(())
}
