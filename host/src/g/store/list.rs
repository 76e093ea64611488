//! A page of a collection. It costs as much as what it passes over and holds, whatever the collection's size.

use redb::{AccessGuard, Error as StorageError, Key, Range, ReadableTable, Table, Value};

use super::{
    LIMITS, Tables, check_name,
    value::{self, Document, Place},
};
use crate::{
    Error, ErrorCode,
    workspace::{self, failed},
};

/// What a list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The key, by its bytes.
    Key,
    /// When it was first stored.
    CreatedAt,
    /// When it was last stored.
    #[default]
    UpdatedAt,
}

/// Which documents a list holds, and in what order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// How many documents at the most.
    pub limit: u32,
    /// How many are passed over before the first.
    pub offset: u32,
    /// What the list is ordered by.
    pub sort: Sort,
    /// From the last to the first.
    pub descending: bool,
}

impl Default for ListOptions {
    fn default() -> Self {
        Self { limit: 100, offset: 0, sort: Sort::default(), descending: true }
    }
}

/// A page of a collection; empty for a collection that does not exist.
pub(crate) fn list(
    t: &mut workspace::Tables<'_>,
    collection: &str,
    options: &ListOptions,
) -> Result<Vec<Document>, Error> {
    check_name("collection", collection, LIMITS.collection_bytes)?;
    page(&mut t.store, collection, options, LIMITS.page_bytes).map_err(failed)?.ok_or_else(too_large)
}

/// The page's JSON is larger than it may be.
pub(super) fn too_large() -> Error {
    let limit = LIMITS.page_bytes >> 20;
    Error::new(ErrorCode::Limit, format!("the page is larger than {limit} MiB: ask for fewer documents with limit"))
}

/// None when the page's JSON is larger than `bytes`.
pub(super) fn page(
    tables: &mut Tables<'_>,
    collection: &str,
    options: &ListOptions,
    bytes: usize,
) -> Result<Option<Vec<Document>>, StorageError> {
    let Some(number) = tables.collections.number(collection)? else { return Ok(Some(Vec::new())) };
    let mut page = Page { documents: Vec::new(), room: bytes };
    let count = tables.collections.count(collection)?;
    let complete = match options.sort {
        Sort::Key => page.by_key(&tables.documents, number, options)?,
        Sort::CreatedAt => page.by_place(&tables.by_created, tables, number, options)?,
        Sort::UpdatedAt => page.by_place(&tables.by_updated, tables, number, options)?,
    };
    if complete && !agrees(count, options, page.documents.len()) {
        return Err(value::damaged());
    }
    Ok(complete.then_some(page.documents))
}

/// Whether as many documents were found as the collection counts: in a damaged file some may be out of reach.
fn agrees(count: u64, options: &ListOptions, found: usize) -> bool {
    let expected = count.saturating_sub(options.offset.into()).min(options.limit.into());
    expected == found as u64
}

struct Page {
    documents: Vec<Document>,
    /// How many bytes of JSON may still be added.
    room: usize,
}

impl Page {
    fn by_key(
        &mut self,
        documents: &Table<'_, &'static [u8], &'static [u8]>,
        number: u64,
        options: &ListOptions,
    ) -> Result<bool, StorageError> {
        let (first, end) = (number.to_be_bytes(), (number + 1).to_be_bytes());
        let rows = documents.range::<&[u8]>(&first[..]..&end[..])?;
        for_each(rows, options, |key, row| {
            value::in_collection(number, key.value())?;
            self.add(key.value(), row.value())
        })
    }

    fn by_place(
        &mut self,
        order: &Table<'_, &'static Place, &'static [u8]>,
        tables: &Tables<'_>,
        number: u64,
        options: &ListOptions,
    ) -> Result<bool, StorageError> {
        let mut document_key = Vec::new();
        let rows = order.range::<&Place>(&value::first_place(number)..&value::first_place(number + 1))?;
        for_each(rows, options, |place, key| {
            value::document_key(number, key.value(), &mut document_key);
            let row = tables.documents.get(&*document_key)?.ok_or_else(value::damaged)?;
            let (created, updated) = value::moments(&document_key, row.value())?;
            if ![created, updated].iter().any(|moment| value::place(number, *moment) == *place.value()) {
                return Err(value::damaged());
            }
            self.add(&document_key, row.value())
        })
    }

    /// False when it does not fit.
    fn add(&mut self, document_key: &[u8], row: &[u8]) -> Result<bool, StorageError> {
        let size = row.len().saturating_sub(value::ROW_HEAD);
        if size > self.room {
            return Ok(false);
        }
        self.room -= size;
        self.documents.push(value::document(document_key, row)?);
        Ok(true)
    }
}

/// The rows of a page, from the end where its order begins, until `f` says false.
fn for_each<K: Key, V: Value>(
    rows: Range<'_, K, V>,
    options: &ListOptions,
    mut f: impl FnMut(AccessGuard<'_, K>, AccessGuard<'_, V>) -> Result<bool, StorageError>,
) -> Result<bool, StorageError> {
    let mut rows: Box<dyn Iterator<Item = _>> = if options.descending { Box::new(rows.rev()) } else { Box::new(rows) };
    if options.offset > 0 && rows.nth(options.offset as usize - 1).transpose()?.is_none() {
        return Ok(true);
    }
    for row in rows.take(options.limit as usize) {
        let (key, value) = row?;
        if !f(key, value)? {
            return Ok(false);
        }
    }
    Ok(true)
}
