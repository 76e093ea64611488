//! Statements: what they take and give, and their rows.
//!
//! A statement that is not known is described first. Then it is parsed again, without a name, and carried out in one packet,
//! so all of a request meets one session of the server, also behind a pooler.

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
use crate::gate::Buffer;

/// The most parameters of a statement: the protocol counts them in 16 bits.
pub(crate) const PARAMETERS: usize = 65_535;

/// How a value comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// As `psql` shows it.
    Text,
    /// As its type has it.
    Binary,
}

/// What a statement takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) parameters: Vec<Oid>,
    pub(crate) columns: Vec<Column>,
}

/// A column of what a statement gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) oid: Oid,
    /// How its values come. Text in a description.
    pub(crate) format: Format,
}

/// A statement that is carried out.
pub(crate) struct Execution<'a, V> {
    pub(crate) sql: &'a str,
    /// The types that its parameters must have; empty where the server is to say.
    pub(crate) types: &'a [Oid],
    /// As text; none for NULL.
    pub(crate) values: &'a [Option<V>],
    /// One for each column; one for all; empty for text.
    pub(crate) formats: &'a [Format],
}

impl Client {
    /// What a statement takes and gives. It is not carried out.
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
                    description.parameters = read.map_err(|_| self.garbled("the types of parameters are cut"))?;
                }
                Some(Received::Other(Message::RowDescription(row))) => description.columns = self.columns(&row)?,
                Some(_) => return Err(self.garbled("a message is not one of a description")),
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
        row.fields().map(column).collect().map_err(|_| self.garbled("the description of a row is not right"))
    }

    /// Begins to carry out a statement. Returns the columns of its rows, as they come from now on.
    ///
    /// Until the server has taken the parameters ([`Client::bound`]), a failure means that nothing was carried out.
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
                _ => return Err(self.garbled("a message is not one of the beginning of an answer")),
            }
        }
    }

    /// Whether the server took the parameters of the statement that was sent last.
    pub(crate) fn is_bound(&self) -> bool {
        self.bound
    }

    /// The next row; none at the end. `buffer` counts one that is long, as long as it is there.
    pub(crate) async fn row(&mut self, mut buffer: Option<&mut Buffer>) -> Result<Option<DataRow>> {
        loop {
            match self.step(buffer.as_deref_mut()).await? {
                Some(Received::Row(row)) => return Ok(Some(row)),
                Some(Received::Other(Message::CommandComplete(complete))) => {
                    let tag = complete.tag().map_err(|_| self.garbled("a tag is not text"))?;
                    self.affected = tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default();
                }
                Some(Received::Other(Message::EmptyQueryResponse)) => {}
                Some(_) => return Err(self.garbled("a message is not one of an answer")),
                None => {
                    self.release(buffer);
                    return Ok(None);
                }
            }
        }
    }

    /// Passes over the rows that are left. None of them is kept.
    pub(crate) async fn pass_rows(&mut self) -> Result<()> {
        self.inbox.skips_rows = true;
        while self.row(None).await?.is_some() {}
        Ok(())
    }

    /// How many rows the statement that was carried out last touched or found.
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

/// How many statements are kept.
const MOST: usize = 100;
/// A longer text, in bytes, is not worth its place.
const LONGEST: usize = 16 << 10;
/// Nor is one with more columns and parameters.
const WIDEST: usize = 256;

/// Descriptions of statements, for all connections of a pool; the one used last stands last. One may be out of date: the
/// server says with every answer what it gives.
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
        if sql.len() > LONGEST || description.parameters.len() + description.columns.len() > WIDEST {
            return;
        }
        self.forget(sql);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MOST {
            known.remove(0);
        }
        known.push((sql.to_owned(), description.clone()));
    }

    pub(crate) fn forget(&self, sql: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != sql);
    }

    /// Forgets all: tables may have changed.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
