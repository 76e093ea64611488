//! Statements: their descriptions, their execution, and their rows.
//!
//! An unknown statement is described first. Then it is parsed again, without a name, and executed in one packet, so that all
//! of a request reaches the same session of the server, even behind a pooler.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use fallible_iterator::FallibleIterator;
use postgres_protocol::{
    IsNull, Oid,
    message::{
        backend::{Message, RowDescriptionBody},
        frontend::{self, BindError},
    },
};

use super::{
    client::Client,
    error::Result,
    inbox::{DataRow, Received},
};
use crate::gate::ByteCounter;

/// The most parameters of a statement: the protocol counts them in 16 bits.
pub(crate) const PARAMETERS: usize = 65_535;

/// How the server sends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// As `psql` shows it.
    Text,
    /// In the binary form of its type.
    Binary,
}

/// The parameters of a statement and the columns of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) parameters: Vec<Oid>,
    pub(crate) columns: Vec<Column>,
}

/// A column of the rows of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) oid: Oid,
    /// The format of its values. Text in a description.
    pub(crate) format: Format,
}

/// A statement to execute.
pub(crate) struct Execution<'a, V> {
    pub(crate) sql: &'a str,
    /// The types of its parameters; empty where the server decides.
    pub(crate) types: &'a [Oid],
    /// As text; None for NULL.
    pub(crate) values: &'a [Option<V>],
    /// One for each column; one for all; empty for text.
    pub(crate) formats: &'a [Format],
}

impl Client {
    /// Describes a statement, without executing it.
    pub(crate) async fn describe(&mut self, sql: &str) -> Result<Description> {
        self.begin()?;
        self.send(|out| {
            frontend::parse("", sql, [], out)?;
            frontend::describe(b'S', "", out)?;
            frontend::sync(out);
            Ok(())
        })
        .await?;
        let mut description = Description::default();
        loop {
            match self.step(None).await? {
                Some(Received::Other(Message::ParseComplete | Message::NoData)) => {}
                Some(Received::Other(Message::ParameterDescription(parameters))) => {
                    let read = parameters.parameters().collect();
                    description.parameters =
                        read.map_err(|_| self.protocol_error("the types of parameters are cut"))?;
                }
                Some(Received::Other(Message::RowDescription(row))) => description.columns = self.columns(&row)?,
                Some(_) => return Err(self.protocol_error("a message is not one of a description")),
                None => return Ok(description),
            }
        }
    }

    fn columns(&mut self, row: &RowDescriptionBody) -> Result<Vec<Column>> {
        let column = |field: postgres_protocol::message::backend::Field<'_>| {
            let format = match field.format() {
                0 => Format::Text,
                1 => Format::Binary,
                _ => return Err(io::ErrorKind::InvalidData.into()),
            };
            Ok(Column { name: field.name().to_owned(), oid: field.type_oid(), format })
        };
        row.fields().map(column).collect().map_err(|_| self.protocol_error("the description of a row is not right"))
    }

    /// Begins to execute a statement. Returns the columns of the rows that follow.
    ///
    /// Until the server has accepted the parameters ([`Client::bound`]), a failure means that nothing was executed.
    pub(crate) async fn execute<V: AsRef<str>>(&mut self, execution: &Execution<'_, V>) -> Result<Vec<Column>> {
        self.begin()?;
        self.affected = 0;
        self.send(|out| write(execution, out)).await?;
        let mut columns = Vec::new();
        loop {
            match self.step(None).await? {
                Some(Received::Other(Message::ParseComplete)) => {}
                Some(Received::Other(Message::BindComplete)) => self.bound = true,
                Some(Received::Other(Message::NoData)) if self.bound => return Ok(columns),
                Some(Received::Other(Message::RowDescription(row))) if self.bound => {
                    columns = self.columns(&row)?;
                    return Ok(columns);
                }
                _ => return Err(self.protocol_error("a message is not one of the beginning of an answer")),
            }
        }
    }

    /// Whether the server accepted the parameters of the last statement.
    pub(crate) fn is_bound(&self) -> bool {
        self.bound
    }

    /// Returns the next row; None at the end. `counter` counts a long one while it is in memory.
    pub(crate) async fn row(&mut self, mut counter: Option<&mut ByteCounter>) -> Result<Option<DataRow>> {
        loop {
            match self.step(counter.as_deref_mut()).await? {
                Some(Received::Row(row)) => return Ok(Some(row)),
                Some(Received::Other(Message::CommandComplete(complete))) => {
                    let tag = complete.tag().map_err(|_| self.protocol_error("a tag is not text"))?;
                    self.affected = tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default();
                }
                Some(Received::Other(Message::EmptyQueryResponse)) => {}
                Some(_) => return Err(self.protocol_error("a message is not one of an answer")),
                None => {
                    self.release(counter);
                    return Ok(None);
                }
            }
        }
    }

    /// Skips the remaining rows.
    pub(crate) async fn pass_rows(&mut self) -> Result<()> {
        self.inbox.skips_rows = true;
        while self.row(None).await?.is_some() {}
        Ok(())
    }

    /// The number of rows that the last statement touched or found.
    pub(crate) fn affected(&self) -> u64 {
        self.affected
    }
}

fn write<V: AsRef<str>>(execution: &Execution<'_, V>, out: &mut bytes::BytesMut) -> io::Result<()> {
    let Execution { sql, types, values, formats } = execution;
    frontend::parse("", sql, types.iter().copied(), out)?;
    let value = |value: &Option<V>, out: &mut bytes::BytesMut| {
        let Some(text) = value else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_ref().as_bytes());
        Ok(IsNull::No)
    };
    let codes = formats.iter().map(|format| i16::from(*format == Format::Binary));
    frontend::bind("", "", [], *values, value, codes, out).map_err(|error| match error {
        BindError::Conversion(error) => io::Error::other(error),
        BindError::Serialization(error) => error,
    })?;
    frontend::describe(b'P', "", out)?;
    frontend::execute("", 0, out)?;
    frontend::sync(out);
    Ok(())
}

/// The number of descriptions that a pool keeps.
const MAX_DESCRIPTIONS: usize = 100;
/// The longest statement whose description is kept, in bytes.
const MAX_SQL_BYTES: usize = 16 << 10;
/// The most columns and parameters of a description that is kept.
const MAX_FIELDS: usize = 256;

/// Descriptions of statements, shared by the connections of a pool; the last used is last. One may be outdated, which the
/// columns of an answer show.
#[derive(Default)]
pub(crate) struct Descriptions(Mutex<Vec<(String, Description)>>);

impl Descriptions {
    pub(crate) fn get(&self, sql: &str) -> Option<Description> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().rposition(|(known, _)| known == sql)?;
        let entry = known.remove(place);
        let found = entry.1.clone();
        known.push(entry);
        Some(found)
    }

    pub(crate) fn keep(&self, sql: &str, description: &Description) {
        if sql.len() > MAX_SQL_BYTES || description.parameters.len() + description.columns.len() > MAX_FIELDS {
            return;
        }
        self.forget(sql);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MAX_DESCRIPTIONS {
            known.remove(0);
        }
        known.push((sql.to_owned(), description.clone()));
    }

    pub(crate) fn forget(&self, sql: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != sql);
    }

    /// Drops all descriptions, since tables may have changed.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
