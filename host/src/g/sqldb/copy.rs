//! Rows in bulk, by the COPY protocol: lines of text, with a tab between the values.

use std::pin::pin;

use bytes::Bytes;
use futures_util::{SinkExt, TryStreamExt};
use tokio_postgres::types::Type;

use super::{
    catalog::no_table,
    connection::Connection,
    name::{PUBLIC, check, qualified, quoted},
    parameter::{Js, text},
    words,
};
use crate::{Error, ErrorCode, gate::Buffer};

/// How much is sent at a time.
const CHUNK: usize = 64 << 10;

/// Rows to store.
pub(super) struct Rows<'a> {
    pub(super) schema: Option<&'a str>,
    pub(super) table: &'a str,
    /// The columns of the table without it.
    pub(super) columns: Option<Vec<String>>,
    pub(super) rows: Vec<Js<'a>>,
}

/// A row as it is sent to the script.
pub(super) type Line = Vec<Option<String>>;

impl Connection {
    /// Stores rows, all or none; the number of them.
    pub(super) async fn copy_from(&mut self, given: Rows<'_>) -> Result<u64, Error> {
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
        let columns: Vec<_> = columns.iter().map(|column| quoted(column)).collect();
        let columns = columns.join(", ");
        let types = self.types_of(&format!("SELECT {columns} FROM {name}")).await?;
        let rows = checked(&given.rows, types.len())?;
        self.send(&format!("COPY {name} ({columns}) FROM STDIN"), &rows, &types).await
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
    async fn send(&mut self, sql: &str, rows: &[&[Js<'_>]], types: &[Type]) -> Result<u64, Error> {
        self.busy = true;
        let failed = |error: tokio_postgres::Error| self.told(&error, Some(sql), true);
        let mut sink = pin!(self.client.copy_in(sql).await.map_err(failed)?);
        let mut chunk = String::with_capacity(CHUNK + (CHUNK >> 2));
        for (at, row) in rows.iter().enumerate() {
            write_line(&mut chunk, at, row, types)?;
            if chunk.len() >= CHUNK {
                let full = std::mem::replace(&mut chunk, String::with_capacity(CHUNK + (CHUNK >> 2)));
                // Why it was refused is told at the end.
                if sink.send(Bytes::from(full)).await.is_err() {
                    break;
                }
            }
        }
        if !chunk.is_empty() {
            let _told_at_the_end = sink.send(Bytes::from(chunk)).await;
        }
        let count = sink.finish().await.map_err(failed)?;
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

/// The rows, each as long as it must be.
fn checked<'a, 'b>(rows: &'a [Js<'b>], columns: usize) -> Result<Vec<&'a [Js<'b>]>, Error> {
    let row = |(at, row): (usize, &'a Js<'b>)| match row {
        Js::Array(values) if values.len() == columns => Ok(values.as_slice()),
        Js::Array(values) => {
            let count = values.len();
            Err(Error::invalid(format!("rows[{at}] has {count} values, the columns are {columns}")))
        }
        _ => Err(Error::invalid(format!("rows[{at}] is not an array"))),
    };
    rows.iter().enumerate().map(row).collect()
}

fn write_line(out: &mut String, row: usize, values: &[Js<'_>], types: &[Type]) -> Result<(), Error> {
    for (at, (js, ty)) in values.iter().zip(types).enumerate() {
        if at > 0 {
            out.push('\t');
        }
        match text(&format_args!("rows[{row}][{at}]"), js, ty)? {
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
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let texts = ["", "\\N", "\\", "a\tb\nc\rd\\e", "é\u{8}\u{b}\u{c}", "N"];
        let values: Vec<_> = texts.iter().map(|text| Js::Text(Cow::Borrowed(text))).chain([Js::Null]).collect();
        let mut out = String::new();
        write_line(&mut out, 0, &values, &vec![Type::TEXT; values.len()]).unwrap();
        let line = read_line(out.strip_suffix('\n').unwrap().as_bytes()).unwrap();
        let expected: Line = texts.iter().map(|text| Some((*text).to_owned())).chain([None]).collect();
        assert_eq!(line, expected);
        assert_eq!(read_line(b"a\\bb\\vc\\fd").unwrap(), [Some("a\u{8}b\u{b}c\u{c}d".to_owned())]);
    }

    #[test]
    fn a_row_of_another_length_is_named() {
        let rows = [Js::Array(vec![Js::Null]), Js::Array(vec![])];
        assert_eq!(checked(&rows, 1).unwrap_err().message, "rows[1] has 0 values, the columns are 1");
        assert_eq!(checked(&[Js::Null], 1).unwrap_err().message, "rows[0] is not an array");
    }
}
