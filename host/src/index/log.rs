//! What an index has not taken in yet, in the database: written with the change itself, so that none is ever missed.
//!
//! It holds names alone, each once, so it never grows beyond the documents that were touched. An index is behind what
//! the log holds; what it has taken in is removed. The number of the last taking in that was removed is kept: an index that
//! does not know that number has lost something, and is made anew.

use redb::{Error, ReadableTable, StorageError, Table, TableDefinition, WriteTransaction};

type Bytes = &'static [u8];
/// The table of a log.
pub(crate) type Definition = TableDefinition<'static, Bytes, Bytes>;

/// The first byte of a row's key says what the row is.
const STATE: u8 = b'a';
/// Collection number → turn: all documents with it are gone.
const CLEARED: u8 = b'b';
/// Collection, 0, key → turn: the document was stored or deleted.
const CHANGED: u8 = b'c';
/// Collection → the key after which its documents are still to be read.
const UNREAD: u8 = b'd';
/// Collection → nothing: it is searched, so its changes count.
const SEARCHED: u8 = b'e';

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// All documents of the collection that had this number are gone.
    Cleared(u64),
    /// The document with this name was stored or deleted.
    Changed { collection: String, key: String },
    /// The documents of the collection after this key are still to be read.
    Unread { collection: String, after: String },
}

/// An open log.
pub(crate) struct Log<'t> {
    table: Table<'t, Bytes, Bytes>,
    /// Counts how often the log was taken in.
    turn: u64,
    /// The last turn of which entries were removed.
    removed: u64,
    row: Vec<u8>,
}

impl<'t> Log<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction, definition: Definition) -> Result<Self, Error> {
        let table = transaction.open_table(definition)?;
        let state = table.get(&[STATE][..])?.map(|row| state(row.value())).transpose()?;
        let (turn, removed) = state.unwrap_or((1, 0));
        Ok(Self { table, turn, removed, row: Vec::new() })
    }

    pub(crate) fn look_at(transaction: &WriteTransaction, definition: Definition) -> Result<(), Error> {
        transaction.open_table(definition).map(drop).map_err(Error::from)
    }

    /// A document was stored or deleted.
    pub(crate) fn changed(&mut self, collection: &str, key: &str) -> Result<(), Error> {
        self.row.clear();
        self.row.push(CHANGED);
        self.row.extend_from_slice(collection.as_bytes());
        self.row.push(0);
        self.row.extend_from_slice(key.as_bytes());
        self.table.insert(&*self.row, &self.turn.to_be_bytes()[..])?;
        Ok(())
    }

    /// All documents of the collection that had this number are gone.
    pub(crate) fn cleared(&mut self, number: u64) -> Result<(), Error> {
        self.table.insert(&*numbered(number), &self.turn.to_be_bytes()[..])?;
        Ok(())
    }

    /// Whether a collection's changes count.
    pub(crate) fn is_searched(&self, collection: &str) -> Result<bool, Error> {
        Ok(self.table.get(&*named(SEARCHED, collection))?.is_some())
    }

    /// From here on a collection's changes count, and what it holds is to be read.
    pub(crate) fn search(&mut self, collection: &str) -> Result<(), Error> {
        self.table.insert(&*named(SEARCHED, collection), &[][..])?;
        self.unread(collection)
    }

    /// All that a collection holds is to be read.
    pub(crate) fn unread(&mut self, collection: &str) -> Result<(), Error> {
        self.table.insert(&*named(UNREAD, collection), &[][..])?;
        Ok(())
    }

    /// The collections whose changes count.
    pub(crate) fn searched(&self) -> Result<Vec<String>, Error> {
        let rows = self.table.range::<&[u8]>(&[SEARCHED][..]..&[SEARCHED + 1][..])?;
        rows.map(|row| text(&row?.0.value()[1..])).collect()
    }

    /// Whether an index that has taken in this turn misses nothing that was removed, and knows of nothing to come.
    pub(crate) fn knows(&self, turn: u64) -> bool {
        (self.removed..self.turn).contains(&turn)
    }

    /// Whether there is something to take in.
    pub(crate) fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.table.range::<&[u8]>(&[CLEARED][..]..&[SEARCHED][..])?.next().is_none())
    }

    /// Begins a turn: what is logged from here on belongs to the next one. To be on disk before the index is.
    pub(crate) fn begin(&mut self) -> Result<u64, Error> {
        let turn = self.turn;
        self.turn += 1;
        self.write_state()?;
        Ok(turn)
    }

    /// Entries after the row of the last one, and the row of each.
    pub(crate) fn entries(&self, after: &[u8], most: usize) -> Result<Vec<(Vec<u8>, Entry)>, Error> {
        use std::ops::Bound::Excluded;
        let start = if after.is_empty() { &[STATE][..] } else { after };
        let mut entries = Vec::new();
        for row in self.table.range::<&[u8]>((Excluded(start), Excluded(&[SEARCHED][..])))?.take(most) {
            let (row, value) = row?;
            let (row, value) = (row.value(), value.value());
            if row != [STATE] {
                entries.push((row.to_vec(), entry(row, value)?));
            }
        }
        Ok(entries)
    }

    /// Removes entries that the index has taken in during a turn; those that were logged again meanwhile stay.
    pub(crate) fn remove(&mut self, turn: u64, rows: &[Vec<u8>]) -> Result<(), Error> {
        for row in rows {
            let logged = self.table.get(&**row)?.map(|value| turn_of(value.value())).transpose()?;
            if logged.is_some_and(|logged| logged <= turn) {
                self.table.remove(&**row)?;
            }
        }
        self.removed = self.removed.max(turn);
        self.write_state()
    }

    /// The documents of a collection up to this key were read; all of them if there is none.
    pub(crate) fn read(&mut self, turn: u64, collection: &str, up_to: Option<&str>) -> Result<(), Error> {
        let row = named(UNREAD, collection);
        match up_to {
            Some(key) => drop(self.table.insert(&*row, key.as_bytes())?),
            None => drop(self.table.remove(&*row)?),
        }
        self.removed = self.removed.max(turn);
        self.write_state()
    }

    fn write_state(&mut self) -> Result<(), Error> {
        let state = [self.turn.to_be_bytes(), self.removed.to_be_bytes()].concat();
        self.table.insert(&[STATE][..], &*state)?;
        Ok(())
    }
}

fn named(kind: u8, name: &str) -> Vec<u8> {
    [&[kind], name.as_bytes()].concat()
}

fn numbered(number: u64) -> Vec<u8> {
    [&[CLEARED][..], &number.to_be_bytes()].concat()
}

fn entry(row: &[u8], value: &[u8]) -> Result<Entry, Error> {
    let (kind, name) = row.split_first().ok_or_else(damaged)?;
    Ok(match *kind {
        CLEARED => Entry::Cleared(turn_of(name)?),
        CHANGED => {
            let end = name.iter().position(|byte| *byte == 0).ok_or_else(damaged)?;
            Entry::Changed { collection: text(&name[..end])?, key: text(&name[end + 1..])? }
        }
        UNREAD => Entry::Unread { collection: text(name)?, after: text(value)? },
        _ => return Err(damaged()),
    })
}

fn state(value: &[u8]) -> Result<(u64, u64), Error> {
    let (turn, removed) = value.split_at_checked(8).ok_or_else(damaged)?;
    Ok((turn_of(turn)?, turn_of(removed)?))
}

fn turn_of(bytes: &[u8]) -> Result<u64, Error> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| damaged())
}

fn text(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| damaged())
}

fn damaged() -> Error {
    StorageError::Corrupted("a row of an index's log".into()).into()
}
