//! Tables that count their changes: a change that is not counted would not be committed.

use std::{
    borrow::Borrow,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use redb::{
    AccessGuard, AccessGuardMutInPlace, Key, MutInPlaceValue, StorageError, TableDefinition, TableError, Value,
    WriteTransaction,
};

/// The approximate number of bytes that were changed in a transaction. Clones share the count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<AtomicUsize>);

impl Changes {
    /// Returns the approximate number of bytes; 0 if there was no change.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn count(&self, bytes: usize) {
        // One call at a time changes the tables.
        self.0.store(self.bytes() + bytes.max(1), Ordering::Relaxed);
    }
}

/// A write transaction whose tables are being opened.
pub(crate) struct Opening<'t> {
    transaction: &'t WriteTransaction,
    changes: Changes,
}

impl<'t> Opening<'t> {
    pub(crate) fn new(transaction: &'t WriteTransaction) -> Self {
        Self { transaction, changes: Changes::default() }
    }

    /// Opens a table; creates it if it does not exist.
    pub(crate) fn open_table<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<Table<'t, K, V>, TableError> {
        Ok(Table { table: self.transaction.open_table(definition)?, changes: self.changes.clone() })
    }

    /// Returns a mark for changes that are kept in memory until the commit.
    pub(crate) fn dirty(&self) -> Dirty {
        Dirty { is_set: false, changes: self.changes.clone() }
    }

    /// Returns the count of the changes of all tables that it opens.
    pub(crate) fn changes(&self) -> Changes {
        self.changes.clone()
    }
}

/// An open table of redb. It is read through redb's own methods, and written by methods that count the changes.
pub(crate) struct Table<'t, K: Key + 'static, V: Value + 'static> {
    table: redb::Table<'t, K, V>,
    changes: Changes,
}

impl<'t, K: Key + 'static, V: Value + 'static> Deref for Table<'t, K, V> {
    type Target = redb::Table<'t, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.table
    }
}

impl<K: Key + 'static, V: Value + 'static> Table<'_, K, V> {
    /// Inserts a row, and returns the value that it replaces.
    pub(crate) fn insert<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<Option<AccessGuard<'_, V>>, StorageError> {
        self.changes.count(size::<K>(key.borrow()) + size::<V>(value.borrow()));
        self.table.insert(key, value)
    }

    /// Inserts a row that was counted when it was changed in memory.
    pub(crate) fn write_back<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StorageError> {
        self.table.insert(key, value).map(drop)
    }

    /// Removes a row that was counted when it was changed in memory.
    pub(crate) fn write_back_removal<'k>(&mut self, key: impl Borrow<K::SelfType<'k>>) -> Result<(), StorageError> {
        self.table.remove(key).map(drop)
    }

    /// Removes a row, and returns its value.
    pub(crate) fn remove<'k>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
    ) -> Result<Option<AccessGuard<'_, V>>, StorageError> {
        let key_bytes = size::<K>(key.borrow());
        let removed = self.table.remove(key)?;
        if let Some(value) = &removed {
            self.changes.count(key_bytes + size::<V>(&value.value()));
        }
        Ok(removed)
    }

    /// Removes the first row.
    pub(crate) fn remove_first(&mut self) -> Result<(), StorageError> {
        if self.table.pop_first()?.is_some() {
            self.changes.count(1);
        }
        Ok(())
    }
}

impl<K: Key + 'static, V: MutInPlaceValue + 'static> Table<'_, K, V> {
    /// Inserts a row whose value has this many bytes, which the caller writes in place.
    pub(crate) fn insert_reserve<'k>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value_bytes: usize,
    ) -> Result<AccessGuardMutInPlace<'_, V>, StorageError> {
        self.changes.count(size::<K>(key.borrow()) + value_bytes);
        self.table.insert_reserve(key, value_bytes)
    }
}

fn size<V: Value>(value: &V::SelfType<'_>) -> usize {
    V::fixed_width().unwrap_or_else(|| V::as_bytes(value).as_ref().len())
}

/// Whether changes are kept in memory that have to be written to the tables before the commit. Setting it counts as a
/// change.
#[derive(Debug)]
pub(crate) struct Dirty {
    is_set: bool,
    changes: Changes,
}

impl Dirty {
    pub(crate) fn set(&mut self) {
        self.is_set = true;
        self.changes.count(1);
    }

    /// Returns whether it was set since the last call.
    pub(crate) fn take(&mut self) -> bool {
        std::mem::take(&mut self.is_set)
    }
}

#[cfg(test)]
mod tests {
    use redb::{Database, ReadableTable, ReadableTableMetadata, backends::InMemoryBackend};

    use super::*;

    const TEST: TableDefinition<'static, &'static str, &'static [u8]> = TableDefinition::new("test");

    #[test]
    fn every_change_is_counted_and_nothing_else_is() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        let opening = Opening::new(&transaction);
        let (mut table, changes) = (opening.open_table(TEST).unwrap(), opening.changes());
        assert!(table.get("a").unwrap().is_none() && table.remove("a").unwrap().is_none());
        table.remove_first().unwrap();
        assert_eq!(changes.bytes(), 0);
        table.insert("ab", &[1, 2, 3][..]).unwrap();
        assert_eq!(changes.bytes(), 5);
        table.insert_reserve("c", 4).unwrap().as_mut().fill(0);
        assert_eq!(changes.bytes(), 10);
        table.remove("ab").unwrap();
        assert_eq!(changes.bytes(), 15);
        table.remove_first().unwrap();
        assert_eq!(changes.bytes(), 16);
        let mut dirty = opening.dirty();
        assert!(!dirty.take());
        dirty.set();
        assert_eq!(changes.bytes(), 17);
        assert!(dirty.take() && !dirty.take());
        table.write_back("d", &[][..]).unwrap();
        table.write_back_removal("d").unwrap();
        assert_eq!((changes.bytes(), table.len().unwrap()), (17, 0));
    }
}
