//! The rows of a statement: values of JSON and texts, made into objects at once. By `JSON.parse` most of the time goes into the
//! names of columns, which are the same in every row, and into texts, which have to be searched for their ends and escapes.

use javy::quickjs::{self, Ctx, Object, Value};

use super::{
    alike::Alike,
    sql::{Kind, kinds},
    to_script,
};

/// All rows: `sql-rows`.
pub fn rows<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let (head, body) = text.split_once('\n').unwrap_or_default();
    let head: Object<'js> = to_script::json(ctx, head)?.get()?;
    let names: Vec<String> = head.get("columns")?;
    let kinds = kinds(&head.get::<_, Vec<bool>>("bytes")?, &head.get::<_, Vec<bool>>("floats")?);
    let mut reader = Reader { ctx, rest: body.trim_ascii_start(), rows: Alike::new(ctx, &names)? };
    while !reader.rest.is_empty() {
        reader.row(&kinds)?;
    }
    reader.rows.finish()
}

struct Reader<'r, 'js> {
    ctx: &'r Ctx<'js>,
    rest: &'r str,
    rows: Alike<'r, 'js>,
}

impl<'r, 'js> Reader<'r, 'js> {
    /// `[1,"a"]`, and the space behind it.
    fn row(&mut self, kinds: &[Kind]) -> quickjs::Result<()> {
        self.skip();
        for (column, kind) in kinds.iter().enumerate() {
            self.value(column, *kind)?;
            self.skip();
        }
        if kinds.is_empty() {
            self.skip();
        }
        self.rows.finish_object()
    }

    fn value(&mut self, column: usize, kind: Kind) -> quickjs::Result<()> {
        if let Some(rest) = self.rest.strip_prefix('s') {
            return self.text(column, rest);
        }
        let text = self.take(length(self.rest.as_bytes()));
        match text.as_bytes() {
            b"null" => self.rows.set_null(column),
            b"true" => self.rows.set_boolean(column, true),
            b"false" => self.rows.set_boolean(column, false),
            [b'-' | b'0'..=b'9', ..] => match number(text) {
                Some(number) => self.rows.set_number(column, number),
                None => self.json(column, kind, text),
            },
            [b'"', inside @ .., b'"'] if kind == Kind::Text && !inside.contains(&b'\\') => {
                self.rows.set_text(column, text.trim_matches('"'))
            }
            _ => self.json(column, kind, text),
        }
    }

    /// A value that the engine's own parser reads.
    fn json(&mut self, column: usize, kind: Kind, text: &str) -> quickjs::Result<()> {
        self.rows.set(column, &kind.of(to_script::json(self.ctx, text)?)?)
    }

    /// `5:a "b"`: how long the text is, in bytes, and the text.
    fn text(&mut self, column: usize, rest: &'r str) -> quickjs::Result<()> {
        let (length, rest) = rest.split_once(':').unwrap_or_default();
        self.rest = rest;
        let text = self.take(length.parse().unwrap_or_default());
        self.rows.set_text(column, text)
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

/// A number of JSON.
fn number(text: &str) -> Option<f64> {
    // Most are whole, and reading those is simpler.
    let whole = if text == "-0" { None } else { text.parse::<i32>().ok().map(f64::from) };
    whole.or_else(|| text.parse().ok())
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
