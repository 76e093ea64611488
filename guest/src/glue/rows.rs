//! Converts the rows of a statement to objects in one pass. `JSON.parse` would spend most of its time on column names, which
//! repeat in every row, and on finding the ends and escapes of texts.

use javy::quickjs::{self, Ctx, Object, Value};

use super::{
    object_array::ObjectArrayBuilder,
    sql::{Kind, kinds},
    to_script,
};

/// Reads a value of the WIT type `sql-rows` (format: `wit/sqldb.wit`) and returns an array of objects.
pub fn rows<'js>(ctx: &Ctx<'js>, text: String) -> quickjs::Result<Value<'js>> {
    let (head, body) = text.split_once('\n').unwrap_or_default();
    let head: Object<'js> = to_script::json(ctx, head)?.get()?;
    let names: Vec<String> = head.get("columns")?;
    let kinds = kinds(&head.get::<_, Vec<bool>>("bytes")?, &head.get::<_, Vec<bool>>("floats")?);
    let mut reader = Reader { ctx, rest: body.trim_ascii_start(), rows: ObjectArrayBuilder::new(ctx, &names)? };
    while !reader.rest.is_empty() {
        reader.row(&kinds)?;
    }
    reader.rows.finish()
}

struct Reader<'r, 'js> {
    ctx: &'r Ctx<'js>,
    rest: &'r str,
    rows: ObjectArrayBuilder<'r, 'js>,
}

impl<'r, 'js> Reader<'r, 'js> {
    /// Reads a row such as `[1,"a"]`, and the white space after it.
    fn row(&mut self, kinds: &[Kind]) -> quickjs::Result<()> {
        self.skip();
        for (column, kind) in kinds.iter().enumerate() {
            self.value(column, *kind)?;
            self.skip();
        }
        if kinds.is_empty() {
            // Without columns, the loop has not skipped the `]`.
            self.skip();
        }
        self.rows.push_object()
    }

    /// Reads the value of a column.
    fn value(&mut self, column: usize, kind: Kind) -> quickjs::Result<()> {
        if let Some(rest) = self.rest.strip_prefix('s') {
            return self.text(column, rest);
        }
        let text = self.take(value_length(self.rest.as_bytes()));
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

    /// Sets a column to a value that QuickJS parses.
    fn json(&mut self, column: usize, kind: Kind, text: &str) -> quickjs::Result<()> {
        self.rows.set(column, &kind.convert(to_script::json(self.ctx, text)?)?)
    }

    /// Reads a text after its `s`: its length in bytes, a colon, the text, as in `s5:a "b"`.
    fn text(&mut self, column: usize, rest: &'r str) -> quickjs::Result<()> {
        let (length, rest) = rest.split_once(':').unwrap_or_default();
        self.rest = rest;
        let text = self.take(length.parse().unwrap_or_default());
        self.rows.set_text(column, text)
    }

    /// Takes this many bytes, and skips the white space after them.
    fn take(&mut self, length: usize) -> &'r str {
        let (text, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest.trim_ascii_start();
        text
    }

    /// Skips a bracket or a comma.
    fn skip(&mut self) {
        self.take(1);
    }
}

/// Parses a JSON number.
fn number(text: &str) -> Option<f64> {
    // Most are integers, which parse faster.
    let integer = if text == "-0" { None } else { text.parse::<i32>().ok().map(f64::from) };
    integer.or_else(|| text.parse().ok())
}

/// Returns the length of the value at the start of a text, in bytes.
fn value_length(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at += string_length(&text[at..]),
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

/// Returns the length of the JSON string at the start of a text in bytes, including its quotes.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return at + 1,
            Some(_) => at += 1,
        }
    }
}
