//! Rows in bulk, by the COPY protocol: lines of text, with a tab between the values.

use std::{mem, pin::pin};

use bytes::Bytes;
use futures_util::{SinkExt, TryStreamExt};
use tokio_postgres::types::Type;

use super::{
    catalog::no_table,
    connection::Connection,
    name::{PUBLIC, check, qualified, quoted},
    parameter::{read_item, text},
    words,
};
use crate::{
    Error, ErrorCode,
    gate::{Buffer, Gate},
    run::Parts,
};

/// Stands before a value that the column's type decides about.
const MARK: char = '\u{1}';

/// Rows to store.
pub(super) struct Rows<'a> {
    pub(super) schema: Option<&'a str>,
    pub(super) table: &'a str,
    /// The columns of the table without it.
    pub(super) columns: Option<Vec<String>>,
    /// Parts that are what `sql-lines` says.
    pub(super) rows: Parts,
}

/// The columns that a row has values for.
struct Columns<'a> {
    names: &'a [String],
    types: &'a [Type],
}

/// A row as it is sent to the script.
pub(super) type Line = Vec<Option<String>>;

impl Connection {
    /// Stores rows, all or none; the number of them.
    pub(super) async fn copy_from(&mut self, mut given: Rows<'_>, gate: &Gate) -> Result<u64, Error> {
        let table = self.table(given.schema, given.table).await?;
        let columns = match given.columns {
            Some(columns) => columns,
            None => self.writable_columns(table).await?,
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
        let columns = Columns { names: &columns, types: &types };
        self.send(&format!("COPY {name} ({list}) FROM STDIN"), &mut given.rows, &columns, gate).await
    }

    /// The types of what a statement gives, which is not run.
    async fn types_of(&mut self, sql: &str) -> Result<Vec<Type>, Error> {
        self.busy = true;
        match self.client.prepare(sql).await {
            Ok(statement) => {
                self.busy = false;
                Ok(statement.columns().iter().map(|column| column.type_().clone()).collect())
            }
            Err(error) => Err(self.failed(&error, None, false)),
        }
    }

    /// A connection that fails here is not used again: part of the rows may be on their way.
    async fn send(&mut self, sql: &str, rows: &mut Parts, columns: &Columns<'_>, gate: &Gate) -> Result<u64, Error> {
        self.busy = true;
        // Before the end, a connection that is gone takes the copy with it.
        let cut = |error: tokio_postgres::Error| self.told(&error, Some(sql), false);
        let mut sink = pin!(self.client.copy_in(sql).await.map_err(cut)?);
        let mut row = 0;
        // What the sink has is counted until it takes the next.
        let mut sending = gate.part(0)?;
        while let Some(part) = next(rows).await? {
            let counted = gate.part(part.len())?;
            sink.feed(lines(part, &mut row, columns)?).await.map_err(cut)?;
            drop(mem::replace(&mut sending, counted));
        }
        let count = sink.finish().await.map_err(|error| self.told(&error, Some(sql), true))?;
        self.busy = false;
        Ok(count)
    }

    /// The rows of a table, a view or a query.
    pub(super) async fn copy_to(
        &mut self,
        schema: Option<&str>,
        query: &str,
        buffer: &mut Buffer,
    ) -> Result<Vec<Line>, Error> {
        let query = self.source(schema, query).await?;
        self.busy = true;
        let changes = words::has_word(&query, &["insert", "update", "delete", "merge"]);
        let sql = format!("COPY (\n{query}\n) TO STDOUT");
        let failed = |error: tokio_postgres::Error| self.told(&error, None, changes);
        let mut stream = pin!(self.client.copy_out(&sql).await.map_err(failed)?);
        let (mut lines, mut part) = (Vec::new(), Vec::new());
        while let Some(chunk) = stream.try_next().await.map_err(failed)? {
            buffer.grow(chunk.len())?;
            for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
                part.extend_from_slice(piece);
                if part.last() == Some(&b'\n') {
                    part.pop();
                    lines.push(read_line(&part)?);
                    part.clear();
                }
            }
        }
        self.busy = false;
        Ok(lines)
    }

    /// The query that is meant: one that is right by itself, so that nothing of it reaches past the brackets around it.
    async fn source(&mut self, schema: Option<&str>, query: &str) -> Result<String, Error> {
        if query.contains('\0') {
            return Err(Error::invalid("query contains a NUL"));
        }
        let may_be_name = check("query", query).is_ok();
        if may_be_name && self.find_table(schema, query).await?.is_some() {
            return Ok(format!("SELECT * FROM {}", qualified(schema.unwrap_or(PUBLIC), query)));
        }
        let is_lone = words::tokens(query).count() <= 1;
        let first = words::first(query);
        match first.as_deref() {
            Some("select" | "with" | "values" | "table") if !is_lone => {}
            _ if is_lone && may_be_name => return Err(no_table(schema, query)),
            _ => {
                return Err(Error::invalid(
                    "query must be the name of a table or view, or a SELECT, WITH, VALUES or TABLE",
                ));
            }
        }
        let prepared = self.prepare(query).await?;
        if !prepared.statement.params().is_empty() {
            return Err(Error::invalid("query has places for parameters, which a copy can't have"));
        }
        Ok(words::trimmed(query).to_owned())
    }
}

/// The next part; none at the end.
///
/// Fails with `invalid-argument` when there are no more before the end, for which the script has a reason of its own.
async fn next(rows: &mut Parts) -> Result<Option<String>, Error> {
    let part = rows.next().await.ok_or_else(|| Error::invalid("rows stopped before their end"))?;
    Ok(Some(part).filter(|part| !part.is_empty()))
}

/// The lines of a part as the server reads them. `row` is the place of the first one, then of the one behind the last.
///
/// Fails with `invalid-argument` for a row of another length.
fn lines(part: String, row: &mut usize, columns: &Columns<'_>) -> Result<Bytes, Error> {
    let is_marked = part.contains(MARK);
    let mut out = String::new();
    for line in part.split_inclusive('\n') {
        let line = line.strip_suffix('\n').ok_or_else(|| Error::invalid("rows has a part that ends within a line"))?;
        let count = 1 + line.bytes().filter(|byte| *byte == b'\t').count();
        if count != columns.names.len() {
            let names = columns.names.join(", ");
            let columns = columns.names.len();
            return Err(Error::invalid(format!("rows[{row}] has {count} values, the columns are {columns}: {names}")));
        }
        if is_marked {
            write_line(&mut out, *row, line, columns.types)?;
        }
        *row += 1;
    }
    // Most need no copy.
    Ok(Bytes::from(if is_marked { out } else { part }))
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

fn read_line(line: &[u8]) -> Result<Line, Error> {
    let line =
        std::str::from_utf8(line).map_err(|_| Error::new(ErrorCode::Data, "the server sent what is not UTF-8"))?;
    Ok(line.split('\t').map(read_value).collect())
}

fn read_value(value: &str) -> Option<String> {
    if value == "\\N" {
        return None;
    }
    let Some(first) = value.find('\\') else { return Some(value.to_owned()) };
    let mut text = value[..first].to_owned();
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
    use super::*;

    fn sent(part: &str, types: &[Type]) -> Result<String, String> {
        let names: Vec<_> = (0..types.len()).map(|at| format!("c{at}")).collect();
        let lines = lines(part.to_owned(), &mut 7, &Columns { names: &names, types }).map_err(|error| error.message)?;
        Ok(String::from_utf8(lines.into()).unwrap())
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (texts, types) = (["", "\\N", "\\", "a\tb\nc\rd\\e", "é\u{8}\u{b}\u{c}", "N"], vec![Type::TEXT; 7]);
        let item = |text: &&str| format!("{MARK}{}\t", serde_json::to_string(text).unwrap());
        let out = sent(&format!("{}\\N\n", texts.iter().map(item).collect::<String>()), &types).unwrap();
        let line = read_line(out.strip_suffix('\n').unwrap().as_bytes()).unwrap();
        let expected: Line = texts.iter().map(|text| Some((*text).to_owned())).chain([None]).collect();
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
        assert_eq!(refused, "rows[8][0] holds bytes, which have no JSON form");
    }

    #[test]
    fn what_is_not_in_the_form_is_refused() {
        assert_eq!(sent("1\n1\t2\n", &[Type::TEXT]).unwrap_err(), "rows[8] has 2 values, the columns are 1: c0");
        assert_eq!(sent("1\n2", &[Type::TEXT]).unwrap_err(), "rows has a part that ends within a line");
        for item in ["", "x", "1 2", "{}", "[\"text\",1]"] {
            let refused = sent(&format!("{MARK}{item}\n"), &[Type::TEXT]).unwrap_err();
            assert_eq!(refused, "rows[7][0] is not in the form that sql-values has", "{item}");
        }
    }
}
