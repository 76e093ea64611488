//! The rows of a statement: values of JSON and texts, made into objects at once. By `JSON.parse` most of the time goes into the
//! names of columns, which are the same in every row, and into texts, which have to be searched for their ends and escapes.

use javy::quickjs::{self, Array, Atom, Ctx, Object, Value, object::Property};

use super::{
    sql::{Kind, kinds},
    to_script,
};

/// All rows: `sql-rows`.
pub fn rows<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let (head, body) = text.split_once('\n').unwrap_or_default();
    let head: Object<'js> = to_script::json(ctx, head)?.get()?;
    let names: Vec<String> = head.get("columns")?;
    let kinds = kinds(&head.get::<_, Vec<bool>>("bytes")?, &head.get::<_, Vec<bool>>("floats")?);
    let names = names.iter().map(|name| Atom::from_str(ctx.clone(), name)).collect::<quickjs::Result<Vec<_>>>()?;
    let columns: Vec<_> = names.into_iter().zip(kinds).collect();
    let rows = Array::new(ctx.clone())?;
    let mut reader = Reader { ctx, rest: body.trim_ascii_start() };
    while !reader.rest.is_empty() {
        rows.set(rows.len(), reader.row(&columns)?)?;
    }
    Ok(rows.into_value())
}

struct Reader<'r, 'js> {
    ctx: &'r Ctx<'js>,
    rest: &'r str,
}

impl<'r, 'js> Reader<'r, 'js> {
    /// `[1,"a"]`, and the space behind it.
    fn row(&mut self, columns: &[(Atom<'js>, Kind)]) -> quickjs::Result<Object<'js>> {
        let row = Object::new(self.ctx.clone())?;
        self.skip();
        for (name, kind) in columns {
            let value = kind.of(self.value()?)?;
            // Without asking the object's prototypes, which a script may have changed.
            row.prop(name.clone(), Property::from(value).writable().configurable().enumerable())?;
            self.skip();
        }
        if columns.is_empty() {
            self.skip();
        }
        Ok(row)
    }

    fn value(&mut self) -> quickjs::Result<Value<'js>> {
        if let Some(rest) = self.rest.strip_prefix('s') {
            return self.text(rest);
        }
        let text = self.take(length(self.rest.as_bytes()));
        let ctx = self.ctx.clone();
        match text.as_bytes() {
            [b'"', inside @ ..] if !inside.contains(&b'\\') => {
                Ok(quickjs::String::from_str(ctx, text.trim_matches('"'))?.into_value())
            }
            b"null" => Ok(Value::new_null(ctx)),
            b"true" => Ok(Value::new_bool(ctx, true)),
            b"false" => Ok(Value::new_bool(ctx, false)),
            [b'-' | b'0'..=b'9', ..] if text != "-0" => match (text.parse(), text.parse()) {
                (Ok(whole), _) => Ok(Value::new_int(ctx, whole)),
                (_, Ok(number)) => Ok(Value::new_float(ctx, number)),
                _ => to_script::json(self.ctx, text),
            },
            _ => to_script::json(self.ctx, text),
        }
    }

    /// `5:a "b"`: how long the text is, in bytes, and the text.
    fn text(&mut self, rest: &'r str) -> quickjs::Result<Value<'js>> {
        let (length, rest) = rest.split_once(':').unwrap_or_default();
        self.rest = rest;
        let text = self.take(length.parse().unwrap_or_default());
        Ok(quickjs::String::from_str(self.ctx.clone(), text)?.into_value())
    }

    fn take(&mut self, length: usize) -> &'r str {
        let (text, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest.trim_ascii_start();
        text
    }

    /// Passes over a bracket or a comma.
    fn skip(&mut self) {
        self.take(1);
    }
}

/// How long the value is that a text begins with.
fn length(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at += string(&text[at..]),
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' | b',' if depth == 0 => return at,
            b']' | b'}' => {
                depth -= 1;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() && depth == 0 => return at,
            _ => at += 1,
        }
    }
    at
}

/// How long the string is that a text begins with, its quotes among it.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return at + 1,
            Some(_) => at += 1,
        }
    }
}
