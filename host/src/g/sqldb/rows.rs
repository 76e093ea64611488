//! What a statement gives, as the JSON that crosses to the script.

use std::{error::Error as StdError, pin::pin};

use futures_util::TryStreamExt;
use tokio_postgres::{
    Row,
    types::{FromSql, Type},
};

use super::{
    connection::Connection,
    failure,
    parameter::{Js, parameters},
    statement::{Column, Prepared},
    value, words,
};
use crate::{Error, ErrorCode, gate::Buffer};

/// A statement and its parameters.
pub(super) struct Query<'a> {
    pub(super) sql: &'a str,
    pub(super) values: &'a [Js<'a>],
    /// It is part of a transaction: if the connection breaks, it was not carried out.
    pub(super) in_transaction: bool,
}

/// What is wanted of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// `sql-rows`
    Rows,
    /// `sql-row`
    Row,
    /// `sql-value`
    Value,
    /// The number of rows alone.
    Count,
}

/// What a statement gave.
pub(super) struct Answer {
    /// As it crosses; empty for [`Wanted::Count`].
    pub(super) json: String,
    pub(super) count: u64,
}

impl Connection {
    /// Runs a statement.
    pub(super) async fn run(
        &mut self,
        query: &Query<'_>,
        wanted: Wanted,
        buffer: &mut Buffer,
    ) -> Result<Answer, Error> {
        check(query.sql)?;
        let first = words::first(query.sql);
        let answer = match self.try_run(query, wanted, buffer, first.as_deref()).await {
            // It was refused before it began: what the server knew by that name is gone or something else by now.
            Err(Failed::Stale(_)) if !query.in_transaction => {
                self.forget_statements();
                self.try_run(query, wanted, buffer, first.as_deref()).await
            }
            other => other,
        };
        match first.as_deref() {
            Some(first) if QUERIES.contains(&first) => {}
            // The client keeps statements of its own, and does not know that they are gone.
            Some("deallocate" | "discard") => self.spoiled = true,
            // It may change the tables behind those that are prepared.
            _ => self.forget_statements(),
        }
        answer.map_err(|failed| match failed {
            Failed::Stale(error) | Failed::Otherwise(error) => error,
        })
    }

    async fn try_run(
        &mut self,
        query: &Query<'_>,
        wanted: Wanted,
        buffer: &mut Buffer,
        first: Option<&str>,
    ) -> Result<Answer, Failed> {
        // Only what was prepared before can be stale, and only a query is harmless to begin anew.
        let known = self.knows(query.sql) && first.is_some_and(|first| QUERIES.contains(&first));
        let prepared = self.prepare(query.sql).await?;
        let parameters = parameters(query.values, prepared.statement.params())?;
        let shown = (!prepared.rewritten).then_some(query.sql);
        let reads = matches!(first, Some("select" | "values" | "table" | "show" | "explain"));
        let may_have_happened = !query.in_transaction && !reads;

        self.busy = true;
        let failed = |connection: &mut Self, error: tokio_postgres::Error| {
            let stale = known && failure::is_stale(&error);
            let error = connection.failed(&error, shown, may_have_happened);
            if stale { Failed::Stale(error) } else { Failed::Otherwise(error) }
        };
        let stream = match self.client.query_raw(&prepared.statement, parameters).await {
            Ok(stream) => stream,
            Err(error) => return Err(failed(self, error)),
        };
        let mut stream = pin!(stream);
        let mut writer = Writer::new(&prepared, wanted);
        loop {
            match stream.try_next().await {
                Ok(Some(row)) => writer.row(&row, buffer)?,
                Ok(None) => break,
                Err(error) => return Err(failed(self, error)),
            }
        }
        self.busy = false;
        Ok(writer.finish(stream.rows_affected().unwrap_or_default()))
    }
}

/// Refuses what would confuse the server, or the connection.
fn check(sql: &str) -> Result<(), Error> {
    if sql.contains('\0') {
        return Err(Error::new(ErrorCode::QuerySyntax, "the statement contains a NUL"));
    }
    if words::is_empty(sql) {
        return Err(Error::new(ErrorCode::QuerySyntax, "there is no statement"));
    }
    if words::first(sql).is_some_and(|first| first == "copy") && words::has_word(sql, &["stdin", "stdout"]) {
        return Err(Error::invalid(
            "COPY from STDIN or to STDOUT is no statement for itself: copyFrom and copyTo do it",
        ));
    }
    Ok(())
}

/// Statements that leave tables and types as they are.
const QUERIES: [&str; 8] = ["select", "insert", "update", "delete", "values", "table", "with", "merge"];

enum Failed {
    /// The statement was known, and is not what it was.
    Stale(Error),
    Otherwise(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Otherwise(error)
    }
}

/// Writes rows as they come.
struct Writer<'a> {
    json: String,
    wanted: Wanted,
    columns: Vec<(String, &'a Column)>,
    rows: u64,
}

impl<'a> Writer<'a> {
    fn new(prepared: &'a Prepared, wanted: Wanted) -> Self {
        let key = |column: &'a Column| {
            let mut key = String::new();
            value::quote(&mut key, &column.name);
            key.push(':');
            (key, column)
        };
        let json = match wanted {
            Wanted::Rows => head(&prepared.columns),
            Wanted::Row => "{\"row\":".into(),
            Wanted::Value => "{\"value\":".into(),
            Wanted::Count => String::new(),
        };
        Self { json, wanted, columns: prepared.columns.iter().map(key).collect(), rows: 0 }
    }

    fn row(&mut self, row: &Row, buffer: &mut Buffer) -> Result<(), Error> {
        self.rows += 1;
        // The rest is read and not kept: the answer has to be read to its end.
        if self.wanted == Wanted::Count || (self.wanted != Wanted::Rows && self.rows > 1) {
            return Ok(());
        }
        let before = self.json.len();
        match self.wanted {
            Wanted::Value => match self.columns.first() {
                Some((_, column)) => write(&mut self.json, row, 0, column)?,
                None => self.json += "null",
            },
            Wanted::Rows => self.array(row)?,
            Wanted::Row | Wanted::Count => self.object(row)?,
        }
        buffer.grow(self.json.len() - before)
    }

    fn array(&mut self, row: &Row) -> Result<(), Error> {
        self.json.push('[');
        for (at, (_, column)) in self.columns.iter().enumerate() {
            if at > 0 {
                self.json.push(',');
            }
            write(&mut self.json, row, at, column)?;
        }
        self.json += "]\n";
        Ok(())
    }

    fn object(&mut self, row: &Row) -> Result<(), Error> {
        self.json.push('{');
        for (at, (key, column)) in self.columns.iter().enumerate() {
            if at > 0 {
                self.json.push(',');
            }
            self.json += key;
            write(&mut self.json, row, at, column)?;
        }
        self.json.push('}');
        Ok(())
    }

    fn finish(mut self, affected: u64) -> Answer {
        if self.rows == 0 && matches!(self.wanted, Wanted::Row | Wanted::Value) {
            self.json += "null";
        }
        let mut bytes = self.columns.iter().map(|(_, column)| value::is_bytes(&column.ty));
        match self.wanted {
            Wanted::Count | Wanted::Rows => {}
            Wanted::Value => self.json += &format!(",\"bytes\":{}}}", bytes.next().unwrap_or_default()),
            Wanted::Row => {
                let names: Vec<_> = self.names_of_bytes().collect();
                self.json += &format!(",\"bytes\":{}}}", serde_json::Value::from(names));
            }
        }
        Answer { json: self.json, count: affected }
    }

    /// The columns with binary data that the script sees: the last of each name.
    fn names_of_bytes(&self) -> impl Iterator<Item = &str> {
        let last = |at: usize, name: &str| self.columns[at + 1..].iter().all(|(_, later)| later.name != name);
        let columns = self.columns.iter().enumerate();
        columns
            .filter(move |(at, (_, column))| value::is_bytes(&column.ty) && last(*at, &column.name))
            .map(|(_, (_, column))| column.name.as_str())
    }
}

/// What stands before all rows.
fn head(columns: &[Column]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    let bytes: Vec<_> = columns.iter().map(|column| value::is_bytes(&column.ty)).collect();
    serde_json::json!({ "columns": names, "bytes": bytes }).to_string() + "\n"
}

fn write(json: &mut String, row: &Row, at: usize, column: &Column) -> Result<(), Error> {
    let raw: Option<Raw<'_>> = row.try_get(at).map_err(Error::internal)?;
    let Some(Raw(raw)) = raw else {
        *json += "null";
        return Ok(());
    };
    value::json(json, &column.ty, raw).map_err(|value::Malformed| {
        let (column, ty) = (value::shown(&column.name), column.ty.name());
        Error::new(
            ErrorCode::Data,
            format!("column {column} holds a value of type {ty} that can't be shown: cast it to text"),
        )
    })
}

/// A value as the server sent it.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
