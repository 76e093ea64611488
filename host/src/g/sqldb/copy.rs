//! Stores and reads many rows by the COPY protocol: lines of text, with tabs between the values.

use super::{
    catalog::no_table,
    connection::{Connection, OutcomeIfBroken},
    name::{PUBLIC, check, qualified, quoted},
    parameter::{quantity, read_item, text},
    statement::{Kind, Text},
    wire::Type,
};
use crate::{
    Error, ErrorCode,
    gate::{ByteCounter, Call},
    run::Parts,
};

/// Marks a value whose text depends on the type of its column.
const MARK: char = '\u{1}';

/// Rows to store.
pub(super) struct Rows<'a> {
    pub(super) schema: Option<&'a str>,
    pub(super) table: &'a str,
    /// The columns to fill; `None` means all columns of the table that can be written.
    pub(super) columns: Option<&'a [String]>,
    /// The parts of the stream, in the format of the type `sql-lines` (`wit/sqldb.wit`).
    pub(super) rows: Parts,
}

/// The columns that a row has values for.
struct Columns<'a> {
    names: &'a [String],
    types: &'a [Type],
}

/// A row as it is sent to the script.
pub(super) type TextRow = Vec<Option<String>>;

impl Connection {
    /// Stores all rows or none. Returns their number.
    pub(super) async fn copy_from(&mut self, mut given: Rows<'_>, call: &Call<'_>) -> Result<u64, Error> {
        let counter = &mut call.answer_counter();
        let table = self.table(given.schema, given.table, counter).await?;
        let writable;
        let columns = match given.columns {
            Some(columns) => columns,
            None => {
                writable = self.writable_columns(table, counter).await?;
                &writable
            }
        };
        if columns.is_empty() {
            return Err(Error::invalid("columns is empty"));
        }
        for (at, column) in columns.iter().enumerate() {
            check(&format!("columns[{at}]"), column)?;
        }
        let name = qualified(given.schema.unwrap_or(PUBLIC), given.table);
        let list: Vec<_> = columns.iter().map(|column| quoted(column)).collect();
        let list = list.join(", ");
        let types = self.types_of(&format!("SELECT {list} FROM {name}")).await?;
        let columns = Columns { names: columns, types: &types };
        self.send(&format!("COPY {name} ({list}) FROM STDIN"), &mut given.rows, &columns, call).await
    }

    /// Returns the types of the columns of a statement, without running it.
    async fn types_of(&mut self, sql: &str) -> Result<Vec<Type>, Error> {
        self.request(None, OutcomeIfBroken::NoEffect, async |client| {
            let columns: Vec<_> = client.describe(sql).await?.columns.iter().map(|column| column.oid).collect();
            client.types(&columns).await
        })
        .await
    }

    /// Sends the rows. A connection that is left half-way is not used again, since the server may have some of them.
    async fn send(
        &mut self,
        sql: &str,
        rows: &mut Parts,
        columns: &Columns<'_>,
        call: &Call<'_>,
    ) -> Result<u64, Error> {
        // When the connection breaks before the end, the server drops the copy.
        self.request(None, OutcomeIfBroken::NoEffect, async |client| client.copy_in(sql).await).await?;
        let (mut row, mut part) = (0, next(rows).await?);
        while let Some(given) = part {
            // Counted twice, because sending duplicates the part in memory.
            let _counted = call.count_argument_bytes(2 * given.len())?;
            let lines = lines(given, &mut row, columns)?;
            let lines = lines.as_bytes();
            let sending = self.request(None, OutcomeIfBroken::NoEffect, async |client| client.copy_send(lines).await);
            // The script makes the next part meanwhile.
            ((), part) = tokio::try_join!(sending, next(rows))?;
        }
        self.request(None, OutcomeIfBroken::Unknown, async |client| client.copy_end().await).await
    }

    /// Returns the rows of a table, a view or a query.
    pub(super) async fn copy_to(
        &mut self,
        schema: Option<&str>,
        query: &str,
        counter: &mut ByteCounter,
    ) -> Result<Vec<TextRow>, Error> {
        let query = self.source(schema, query, counter).await?;
        let sql = format!("COPY (\n{query}\n) TO STDOUT");
        // A function in the query may change something.
        let if_broken = OutcomeIfBroken::Unknown;
        self.request(None, if_broken, async |client| client.copy_out(&sql).await).await?;
        let (mut lines, mut part) = (Vec::new(), Vec::new());
        loop {
            let chunk = self.request(None, if_broken, async |client| client.copy_next(Some(&mut *counter)).await);
            let Some(chunk) = chunk.await? else { return Ok(lines) };
            for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
                match piece.strip_suffix(b"\n") {
                    Some(line) if part.is_empty() => keep(&mut lines, line, counter)?,
                    Some(end) => {
                        part.extend_from_slice(end);
                        keep(&mut lines, &part, counter)?;
                        counter.shrink(part.len() - end.len());
                        part.clear();
                    }
                    None => {
                        counter.grow(piece.len())?;
                        part.extend_from_slice(piece);
                    }
                }
            }
        }
    }

    /// Returns the query to copy. The server has described the query alone, without brackets, so the query can't
    /// close the brackets that COPY puts around it.
    async fn source(&mut self, schema: Option<&str>, query: &str, counter: &mut ByteCounter) -> Result<String, Error> {
        if query.contains('\0') {
            return Err(Error::invalid("query contains a NUL"));
        }
        let may_be_name = check("query", query).is_ok();
        if may_be_name && self.find_table(schema, query, counter).await?.is_some() {
            return Ok(format!("SELECT * FROM {}", qualified(schema.unwrap_or(PUBLIC), query)));
        }
        let text = Text::parse(query);
        match text.kind {
            Kind::Query if !text.is_single_token => {}
            _ if text.is_single_token && may_be_name => return Err(no_table(schema, query)),
            _ => {
                return Err(Error::invalid(
                    "query must be the name of a table or view, or a SELECT, WITH, VALUES or TABLE",
                ));
            }
        }
        let described =
            self.request(Some(&text), OutcomeIfBroken::NoEffect, async |client| client.describe(query).await);
        if !described.await?.parameters.is_empty() {
            return Err(Error::invalid("query has places for parameters, which a copy can't have"));
        }
        Ok(text.trimmed().to_owned())
    }
}

/// Returns the next part; None at the end.
///
/// Fails with `invalid-argument` when the stream closes without the empty part that marks its end. The glue closes it like
/// this when the script's rows are invalid, and then throws its own error.
async fn next(rows: &mut Parts) -> Result<Option<String>, Error> {
    let part = rows.next().await.ok_or_else(|| Error::invalid("rows stopped before their end"))?;
    Ok(Some(part).filter(|part| !part.is_empty()))
}

/// Returns the lines of a part in the server's form. `row` is the index of the first row, and then the index after the last.
///
/// Fails with `invalid-argument` for a row of another length.
fn lines(part: String, row: &mut usize, columns: &Columns<'_>) -> Result<String, Error> {
    let is_marked = part.contains(MARK);
    let mut out = String::new();
    for line in part.split_inclusive('\n') {
        let line = line.strip_suffix('\n').ok_or_else(|| Error::invalid("rows has a part that ends within a line"))?;
        let count = 1 + line.bytes().filter(|byte| *byte == b'\t').count();
        if count != columns.names.len() {
            let names = columns.names.join(", ");
            let (count, columns) = (quantity(count, "value"), quantity(columns.names.len(), "column"));
            return Err(Error::invalid(format!("rows[{row}] has {count}, the rows are stored in {columns}: {names}")));
        }
        if is_marked {
            write_line(&mut out, *row, line, columns.types)?;
        }
        *row += 1;
    }
    // Most parts need no copy.
    Ok(if is_marked { out } else { part })
}

fn write_line(out: &mut String, row: usize, line: &str, types: &[Type]) -> Result<(), Error> {
    for (at, (value, ty)) in line.split('\t').zip(types).enumerate() {
        if at > 0 {
            out.push('\t');
        }
        let Some(item) = value.strip_prefix(MARK) else {
            *out += value;
            continue;
        };
        let place = format_args!("rows[{row}][{at}]");
        match text(&place, &read_item(&place, item)?, ty)? {
            None => *out += "\\N",
            Some(text) => escape(out, &text),
        }
    }
    out.push('\n');
    Ok(())
}

fn escape(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'\\' | b'\t' | b'\n' | b'\r')) {
        *out += &rest[..at];
        *out += match rest.as_bytes()[at] {
            b'\\' => "\\\\",
            b'\t' => "\\t",
            b'\n' => "\\n",
            _ => "\\r",
        };
        rest = &rest[at + 1..];
    }
    *out += rest;
}

/// The memory of a value in addition to its bytes: the `String`, and the allocator's overhead.
const VALUE: usize = size_of::<Option<String>>() + 32;
/// The memory of a row in addition to its values. The list of rows may have capacity for twice as many.
const ROW: usize = 2 * size_of::<TextRow>() + 32;

/// Adds a row, which is counted before it is allocated.
fn keep(lines: &mut Vec<TextRow>, line: &[u8], counter: &mut ByteCounter) -> Result<(), Error> {
    let values = 1 + line.iter().filter(|byte| **byte == b'\t').count();
    counter.grow(line.len() + values * VALUE + ROW)?;
    lines.push(read_line(line)?);
    Ok(())
}

fn read_line(line: &[u8]) -> Result<TextRow, Error> {
    let line =
        std::str::from_utf8(line).map_err(|_| Error::new(ErrorCode::Data, "the server sent what is not UTF-8"))?;
    Ok(line.split('\t').map(read_value).collect())
}

fn read_value(value: &str) -> Option<String> {
    if value == "\\N" {
        return None;
    }
    let Some(first) = value.find('\\') else { return Some(value.to_owned()) };
    let mut text = String::with_capacity(value.len());
    text += &value[..first];
    let mut characters = value[first..].chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        text.push(match escaped {
            None => character,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(other) => other,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use postgres_types::Type;

    use super::*;

    fn sent(part: &str, types: &[Type]) -> Result<String, String> {
        let names: Vec<_> = (0..types.len()).map(|at| format!("c{at}")).collect();
        let types: Vec<_> = types.iter().cloned().map(Into::into).collect();
        let columns = Columns { names: &names, types: &types };
        lines(part.to_owned(), &mut 7, &columns).map_err(|error| error.message)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (texts, types) = (["", "\\N", "\\", "a\tb\nc\rd\\e", "é\u{8}\u{b}\u{c}", "N"], vec![Type::TEXT; 7]);
        let item = |text: &&str| format!("{MARK}{}\t", serde_json::to_string(text).unwrap());
        let out = sent(&format!("{}\\N\n", texts.iter().map(item).collect::<String>()), &types).unwrap();
        let line = read_line(out.strip_suffix('\n').unwrap().as_bytes()).unwrap();
        let expected: TextRow = texts.iter().map(|text| Some((*text).to_owned())).chain([None]).collect();
        assert_eq!(line, expected);
        assert_eq!(read_line(b"a\\bb\\vc\\fd").unwrap(), [Some("a\u{8}b\u{b}c\u{c}d".to_owned())]);
    }

    #[test]
    fn what_is_marked_is_written_for_its_type() {
        let types = [Type::JSONB, Type::TEXT_ARRAY, Type::BYTEA];
        let part =
            "1\ta\\tb\t\\N\n\u{1}[\"number\",\"NaN\"]\t\u{1}[\"array\",[\"x\",null]]\t\u{1}[\"bytes\",\"00ff\"]\n";
        assert_eq!(sent(part, &types).unwrap(), "1\ta\\tb\t\\N\nnull\t{\"x\",NULL}\t\\\\x00ff\n");
        let refused = sent("1\n\u{1}[\"array\",[[\"bytes\",\"00\"]]]\n", &[Type::JSON]).unwrap_err();
        assert_eq!(refused, "rows[8][0] contains bytes, which JSON can't represent");
    }

    #[test]
    fn what_is_not_in_the_form_is_refused() {
        assert_eq!(
            sent("1\n1\t2\n", &[Type::TEXT]).unwrap_err(),
            "rows[8] has 2 values, the rows are stored in 1 column: c0"
        );
        assert_eq!(sent("1\n2", &[Type::TEXT]).unwrap_err(), "rows has a part that ends within a line");
        for item in ["", "x", "1 2", "{}", "[\"text\",1]"] {
            let refused = sent(&format!("{MARK}{item}\n"), &[Type::TEXT]).unwrap_err();
            assert_eq!(refused, "rows[7][0] does not have the format of sql-values", "{item}");
        }
    }
}
