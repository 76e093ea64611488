//! The rows of a statement, as the JSON that crosses to the script.

use super::{
    execute::{Answer, Wanted},
    value,
    wire::{self, Column, DataRow, Format, Type, take_value},
};
use crate::{Error, ErrorCode, g::json::quote, gate::ByteCounter};

/// A column of the result, with the form of its values.
pub(super) struct ResultColumn {
    name: String,
    ty: Type,
    format: Format,
}

impl ResultColumn {
    /// None when the values have a form that can't be read: the type of the column has changed.
    pub(super) fn of(client: &wire::Client, column: Column) -> Option<Self> {
        let Column { name, oid, format } = column;
        let ty = client.known_type(oid)?;
        (format == value::format(&ty)).then_some(Self { name, ty, format })
    }
}

/// Writes rows as they come.
pub(super) struct Writer<'a> {
    json: String,
    /// How much of it is counted.
    counted: usize,
    wanted: Wanted,
    columns: Vec<(String, &'a ResultColumn)>,
    rows: u64,
}

impl<'a> Writer<'a> {
    pub(super) fn new(columns: &'a [ResultColumn], wanted: Wanted) -> Self {
        let key = |column: &'a ResultColumn| {
            let mut key = String::new();
            quote(&mut key, &column.name);
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
    pub(super) fn has_enough(&self) -> bool {
        self.wanted != Wanted::Rows && self.rows > 0
    }

    pub(super) fn row(&mut self, row: &DataRow, counter: &mut ByteCounter) -> Result<(), Error> {
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
            Wanted::Value => self.value(0, &mut values, counter)?,
            Wanted::Rows => {
                self.json.push('[');
                for at in 0..self.columns.len() {
                    if at > 0 {
                        self.json.push(',');
                    }
                    self.value(at, &mut values, counter)?;
                }
                self.json += "]\n";
            }
            Wanted::Row | Wanted::Count => self.object(&mut values, counter)?,
        }
        self.count(counter)
    }

    fn object(&mut self, values: &mut &[u8], counter: &mut ByteCounter) -> Result<(), Error> {
        self.json.push('{');
        for at in 0..self.columns.len() {
            if at > 0 {
                self.json.push(',');
            }
            self.json += &self.columns[at].0;
            self.value(at, values, counter)?;
        }
        self.json.push('}');
        Ok(())
    }

    /// Takes a value off and writes it. What it takes of memory is counted before the next is written.
    fn value(&mut self, at: usize, values: &mut &[u8], counter: &mut ByteCounter) -> Result<(), Error> {
        let value = take_value(values).map_err(|_| cut_row())?;
        let Some(raw) = value else {
            self.json += "null";
            return Ok(());
        };
        self.make_room(raw.len());
        self.count(counter)?;
        let (_, column) = self.columns[at];
        match value::whole_text(&column.ty, column.format, raw).filter(|_| self.wanted == Wanted::Rows) {
            Some(text) => value::counted(&mut self.json, text),
            None => {
                let written = value::json(&mut self.json, &column.ty, column.format, raw);
                written.map_err(|value::Malformed| unreadable(column))?;
            }
        }
        self.count(counter)
    }

    /// Room for a value. A long answer grows by an eighth: by itself it would double.
    fn make_room(&mut self, length: usize) {
        let needed = length + length / 4 + VALUE;
        if self.json.capacity() - self.json.len() < needed {
            let length = self.json.len();
            self.json.reserve_exact(needed.max(if length < LARGE { length } else { length / 8 }).max(PART));
        }
    }

    fn count(&mut self, counter: &mut ByteCounter) -> Result<(), Error> {
        let capacity = self.json.capacity();
        if capacity > self.counted {
            counter.grow(capacity - self.counted)?;
            self.counted = capacity;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, affected: u64) -> Answer {
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
/// What the JSON of a value takes in addition to its bytes: quotes, or the digits of a number.
const VALUE: usize = 32;

/// What stands before all rows.
fn head(columns: &[ResultColumn]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    let bytes: Vec<_> = columns.iter().map(|column| value::is_bytes(&column.ty)).collect();
    let floats: Vec<_> = columns.iter().map(|column| value::is_float(&column.ty)).collect();
    serde_json::json!({ "columns": names, "bytes": bytes, "floats": floats }).to_string() + "\n"
}

fn cut_row() -> Error {
    Error::new(ErrorCode::Unavailable, "protocol error: a row ends before its last value")
}

fn unreadable(column: &ResultColumn) -> Error {
    let (name, ty) = (value::shown(&column.name), column.ty.name());
    let message = format!("column {name} holds a value of type {ty} that can't be shown: cast it to text");
    Error::new(ErrorCode::Data, message)
}
