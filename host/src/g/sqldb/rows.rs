//! What a statement gives, as the JSON that crosses to the script.

use super::{
    connection::Connection,
    parameter::{Js, check_count, parameters},
    value,
    wire::{self, Column, DataRow, Description, Execution, Format, Type, take_value},
    words,
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

/// What is known of a statement before it is carried out.
struct Plan {
    /// What the server said when it was asked, now or before.
    description: Description,
    /// The server was asked now.
    is_fresh: bool,
    /// The types that parameters were written for.
    types: Vec<u32>,
    /// How the columns are to come.
    formats: Vec<Format>,
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
        self.prepares |= query.sql.as_bytes().windows(7).any(|word| word.eq_ignore_ascii_case(b"prepare"));
        let answer = match self.try_run(query, wanted, buffer, true).await {
            // It was refused before it began: what was known of it is out of date.
            Err(Failed::Stale(_)) => self.try_run(query, wanted, buffer, false).await,
            other => other,
        };
        if !words::first(query.sql).is_some_and(|first| QUERIES.contains(&first.as_str())) {
            // It may change the tables behind those that are known.
            self.descriptions.clear();
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
        may_know: bool,
    ) -> Result<Answer, Failed> {
        let depends = query.values.iter().any(Js::depends_on_type);
        let plan = self.plan(query, wanted, depends, may_know).await?;
        let types = match depends {
            true => self.types(&plan.types, query.sql).await?,
            // Any will do.
            false => vec![Type::Other(0); query.values.len()],
        };
        let values = parameters(query.values, &types)?;
        let execution = Execution { sql: query.sql, types: &plan.types, values: &values, formats: &plan.formats };
        let columns = match self.client.execute(&execution).await {
            Ok(columns) => columns,
            Err(error) => {
                let is_stale = error.is_answer() && !plan.is_fresh && !query.in_transaction && !self.client.is_bound();
                let error = self.failed(error, Some(query.sql), !query.in_transaction);
                return Err(if is_stale { Failed::Stale(error) } else { Failed::Otherwise(error) });
            }
        };
        let answer = self.read(query, &plan, columns, wanted, buffer).await;
        answer.map_err(Failed::Otherwise)
    }

    /// Finds out what has to be known of a statement, from the server where that is needed.
    async fn plan(&mut self, query: &Query<'_>, wanted: Wanted, depends: bool, may_know: bool) -> Result<Plan, Error> {
        if let Some(description) = self.descriptions.get(query.sql).filter(|_| may_know) {
            let plan = self.planned(query, description, wanted, depends, false).await?;
            // What is out of date would fail, and a transaction with it.
            let is_safe = !query.in_transaction || (!depends && plan.formats.len() <= 1);
            if is_safe && plan.description.parameters.len() == query.values.len() {
                return Ok(plan);
            }
        }
        check_count(query.values.len(), query.values.len())?;
        let described = self.client.describe(query.sql).await;
        let description = described.map_err(|error| self.failed(error, Some(query.sql), false))?;
        check_count(query.values.len(), description.parameters.len())?;
        self.descriptions.keep(query.sql, &description);
        self.planned(query, description, wanted, depends, true).await
    }

    async fn planned(
        &mut self,
        query: &Query<'_>,
        description: Description,
        wanted: Wanted,
        depends: bool,
        is_fresh: bool,
    ) -> Result<Plan, Error> {
        let formats = match wanted {
            Wanted::Count => Vec::new(),
            _ => {
                let columns: Vec<_> = description.columns.iter().map(|column| column.oid).collect();
                let types = self.types(&columns, query.sql).await?;
                formats(&types, query.in_transaction)
            }
        };
        let types = if depends { description.parameters.clone() } else { Vec::new() };
        Ok(Plan { description, is_fresh, types, formats })
    }

    /// Types by their numbers.
    pub(super) async fn types(&mut self, oids: &[u32], sql: &str) -> Result<Vec<Type>, Error> {
        let found = self.client.types(oids).await;
        found.map_err(|error| self.failed(error, Some(sql), false))
    }

    /// Reads the answer to a statement that is being carried out.
    async fn read(
        &mut self,
        query: &Query<'_>,
        plan: &Plan,
        columns: Vec<Column>,
        wanted: Wanted,
        buffer: &mut Buffer,
    ) -> Result<Answer, Error> {
        let may_have_happened = !query.in_transaction;
        let is_same = |(one, other): (&Column, &Column)| one.name == other.name && one.oid == other.oid;
        let known = &plan.description.columns;
        if known.len() != columns.len() || !known.iter().zip(&columns).all(is_same) {
            self.descriptions.forget(query.sql);
        }
        let columns = columns.into_iter().map(|column| Shown::of(&self.client, column)).collect::<Option<Vec<_>>>();
        let Some(columns) = columns.filter(|_| wanted != Wanted::Count) else {
            let passed = self.client.pass_rows().await;
            passed.map_err(|error| self.failed(error, Some(query.sql), may_have_happened))?;
            return match wanted {
                Wanted::Count => Ok(Answer { json: String::new(), count: self.client.affected() }),
                _ => Err(changed()),
            };
        };
        let mut writer = Writer::new(&columns, wanted);
        loop {
            match self.client.row(Some(buffer)).await {
                Ok(Some(row)) => writer.row(&row, buffer)?,
                Ok(None) => break,
                Err(error) => return Err(self.failed(error, Some(query.sql), may_have_happened)),
            }
            if writer.has_enough() {
                // The answer has to be read to its end.
                let passed = self.client.pass_rows().await;
                passed.map_err(|error| self.failed(error, Some(query.sql), may_have_happened))?;
                break;
            }
        }
        Ok(writer.finish(self.client.affected()))
    }
}

/// How columns of these types are asked for. If there are more or fewer by now, the server refuses to begin: in a transaction,
/// which that would end, it is one format for all where that will do.
fn formats(types: &[Type], in_transaction: bool) -> Vec<Format> {
    let mut formats: Vec<_> = types.iter().map(value::format).collect();
    if !in_transaction {
        return formats;
    }
    if formats.iter().all(|format| *format == Format::Text) {
        formats.clear();
    } else if formats.iter().all(|format| *format == Format::Binary) {
        formats.truncate(1);
    }
    formats
}

fn changed() -> Error {
    let message = "the columns of the statement have changed since it was run before: it was carried out, and its rows \
                   can't be read; the next time they can";
    Error::new(ErrorCode::Data, message)
}

/// A column as its values are read.
struct Shown {
    name: String,
    ty: Type,
    format: Format,
}

impl Shown {
    /// None when values come in a way that can't be read: then its type is not what it was.
    fn of(client: &wire::Client, column: Column) -> Option<Self> {
        let Column { name, oid, format } = column;
        let ty = client.known_type(oid)?;
        (format == value::format(&ty)).then_some(Self { name, ty, format })
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
    /// What was known of the statement may be out of date, and it was not carried out.
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
    /// How much of it is counted.
    counted: usize,
    wanted: Wanted,
    columns: Vec<(String, &'a Shown)>,
    rows: u64,
}

impl<'a> Writer<'a> {
    fn new(columns: &'a [Shown], wanted: Wanted) -> Self {
        let key = |column: &'a Shown| {
            let mut key = String::new();
            value::quote(&mut key, &column.name);
            key.push(':');
            (key, column)
        };
        let json = match wanted {
            Wanted::Rows => head(columns),
            Wanted::Row => "{\"row\":".into(),
            Wanted::Value => "{\"value\":".into(),
            Wanted::Count => String::new(),
        };
        Self { json, counted: 0, wanted, columns: columns.iter().map(key).collect(), rows: 0 }
    }

    /// Whether no other row is wanted.
    fn has_enough(&self) -> bool {
        self.wanted != Wanted::Rows && self.rows > 0
    }

    fn row(&mut self, row: &DataRow, buffer: &mut Buffer) -> Result<(), Error> {
        if row.columns != self.columns.len() {
            let (given, told) = (row.columns, self.columns.len());
            return Err(Error::new(
                ErrorCode::Unavailable,
                format!("protocol error: a row has {given} values of {told}"),
            ));
        }
        self.rows += 1;
        let mut values = row.values();
        match self.wanted {
            Wanted::Value if self.columns.is_empty() => self.json += "null",
            Wanted::Value => self.value(0, &mut values, buffer)?,
            Wanted::Rows => {
                self.json.push('[');
                for at in 0..self.columns.len() {
                    if at > 0 {
                        self.json.push(',');
                    }
                    self.value(at, &mut values, buffer)?;
                }
                self.json += "]\n";
            }
            Wanted::Row | Wanted::Count => self.object(&mut values, buffer)?,
        }
        self.count(buffer)
    }

    fn object(&mut self, values: &mut &[u8], buffer: &mut Buffer) -> Result<(), Error> {
        self.json.push('{');
        for at in 0..self.columns.len() {
            if at > 0 {
                self.json.push(',');
            }
            self.json += &self.columns[at].0;
            self.value(at, values, buffer)?;
        }
        self.json.push('}');
        Ok(())
    }

    /// Takes a value off and writes it. What it takes of memory is counted before the next is written.
    fn value(&mut self, at: usize, values: &mut &[u8], buffer: &mut Buffer) -> Result<(), Error> {
        let value = take_value(values).map_err(|_| cut_row())?;
        let Some(raw) = value else {
            self.json += "null";
            return Ok(());
        };
        self.make_room(raw.len());
        self.count(buffer)?;
        let (_, column) = self.columns[at];
        match value::whole_text(&column.ty, column.format, raw).filter(|_| self.wanted == Wanted::Rows) {
            Some(text) => value::counted(&mut self.json, text),
            None => {
                let written = value::json(&mut self.json, &column.ty, column.format, raw);
                written.map_err(|value::Malformed| unreadable(column))?;
            }
        }
        self.count(buffer)
    }

    /// Room for a value. A long answer grows by an eighth: by itself it would double.
    fn make_room(&mut self, length: usize) {
        let needed = length + length / 4 + VALUE;
        if self.json.capacity() - self.json.len() < needed {
            let length = self.json.len();
            self.json.reserve_exact(needed.max(if length < LARGE { length } else { length / 8 }).max(PART));
        }
    }

    fn count(&mut self, buffer: &mut Buffer) -> Result<(), Error> {
        let capacity = self.json.capacity();
        if capacity > self.counted {
            buffer.grow(capacity - self.counted)?;
            self.counted = capacity;
        }
        Ok(())
    }

    fn finish(mut self, affected: u64) -> Answer {
        if self.rows == 0 && matches!(self.wanted, Wanted::Row | Wanted::Value) {
            self.json += "null";
        }
        let first = |is: fn(&Type) -> bool| self.columns.first().is_some_and(|(_, column)| is(&column.ty));
        let (bytes, floats) = match self.wanted {
            Wanted::Count | Wanted::Rows => return Answer { json: self.json, count: affected },
            Wanted::Value => (first(value::is_bytes).into(), first(value::is_float).into()),
            Wanted::Row => (self.names(value::is_bytes), self.names(value::is_float)),
        };
        self.json += &format!(",\"bytes\":{bytes},\"floats\":{floats}}}");
        Answer { json: self.json, count: affected }
    }

    /// The columns of a kind that the script sees: the last of each name.
    fn names(&self, is: fn(&Type) -> bool) -> serde_json::Value {
        let last = |at: usize, name: &str| self.columns[at + 1..].iter().all(|(_, later)| later.name != name);
        let columns = self.columns.iter().enumerate();
        let named = columns.filter(|(at, (_, column))| is(&column.ty) && last(*at, &column.name));
        named.map(|(_, (_, column))| column.name.as_str()).collect()
    }
}

/// The least that the answer grows by, in bytes.
const PART: usize = 256;
/// From which length on it does not double any more, in bytes.
const LARGE: usize = 1 << 20;
/// What the JSON of a value takes beside its bytes: quotes, or the digits of a number.
const VALUE: usize = 32;

/// What stands before all rows.
fn head(columns: &[Shown]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    let bytes: Vec<_> = columns.iter().map(|column| value::is_bytes(&column.ty)).collect();
    let floats: Vec<_> = columns.iter().map(|column| value::is_float(&column.ty)).collect();
    serde_json::json!({ "columns": names, "bytes": bytes, "floats": floats }).to_string() + "\n"
}

fn cut_row() -> Error {
    Error::new(ErrorCode::Unavailable, "protocol error: a row ends before its last value")
}

fn unreadable(column: &Shown) -> Error {
    let (name, ty) = (value::shown(&column.name), column.ty.name());
    let message = format!("column {name} holds a value of type {ty} that can't be shown: cast it to text");
    Error::new(ErrorCode::Data, message)
}
