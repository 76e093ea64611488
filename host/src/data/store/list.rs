//! A page of a collection. It costs as much as what it passes over and holds, whatever the collection's size.

use redb::{AccessGuard, Key, Range, ReadableTable, Table, Value};

use super::{
    LIMITS, Tables, check_name,
    range::range,
    value::{self, Document, Place},
};
use crate::{
    Error, ErrorCode,
    data::{self, Omitted, failed},
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// How many documents at the most.
    pub limit: u32,
    /// How many are passed over before the first.
    pub offset: u32,
    /// What the list is ordered by.
    pub sort: Sort,
    /// From the last to the first.
    pub descending: bool,
    /// Only keys that begin with this, in a list by key.
    pub prefix: Option<String>,
    /// Only keys that follow this one, in a list by key.
    pub after: Option<String>,
}

impl Default for ListOptions {
    fn default() -> Self {
        Self { limit: 100, offset: 0, sort: Sort::default(), descending: true, prefix: None, after: None }
    }
}

impl ListOptions {
    fn check(&self) -> Result<(), Error> {
        let given = [("prefix", &self.prefix), ("after", &self.after)];
        let by_key = |name| {
            format!("{name} needs sort \"key\", and this list has sort {:?}: add sort: \"key\"", self.sort.word())
        };
        match given.iter().find(|(_, value)| value.is_some() && self.sort != Sort::Key) {
            Some((name, _)) => Err(Error::invalid(by_key(name))),
            None => check_part(self.prefix.as_deref(), self.after.as_deref()),
        }
    }
}

impl Sort {
    /// As scripts call it.
    fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::CreatedAt => "createdAt",
            Self::UpdatedAt => "updatedAt",
        }
    }
}

/// A prefix may be empty; what a page begins after is a key.
pub(super) fn check_part(prefix: Option<&str>, after: Option<&str>) -> Result<(), Error> {
    prefix
        .filter(|prefix| !prefix.is_empty())
        .map_or(Ok(()), |prefix| check_name("prefix", prefix, LIMITS.key_bytes))?;
    after.map_or(Ok(()), |after| check_name("after", after, LIMITS.key_bytes))
}

/// Looks whether a call may go on: after each so many rows.
pub(crate) type Look<'l> = &'l dyn Fn() -> Result<(), Error>;
const ROWS_A_LOOK: usize = 1_024;

/// A page of a collection; empty for a collection that does not exist.
pub(crate) fn list(
    t: &mut data::Tables<'_>,
    collection: &str,
    options: &ListOptions,
    look: Look<'_>,
) -> Result<Vec<Document>, Error> {
    check_name("collection", collection, LIMITS.collection_bytes)?;
    options.check()?;
    page(&mut t.store, collection, options, LIMITS.page_bytes, look)
}

/// How many documents a page leaves out behind it.
pub(crate) fn left_out(
    t: &mut data::Tables<'_>,
    collection: &str,
    options: &ListOptions,
    page: &[Document],
) -> Result<Option<Omitted>, Error> {
    let (Some(last), true) = (page.last(), page.len() == options.limit as usize) else { return Ok(None) };
    if options.prefix.is_none() && options.after.is_none() {
        let total = t.store.collections.count(collection).map_err(failed)?;
        return Ok((total > u64::from(options.offset) + page.len() as u64).then_some(Omitted::Of(total)));
    }
    let after = Some(last.key.clone());
    let next = ListOptions { limit: 1, offset: 0, after, ..options.clone() };
    let rest = self::page(&mut t.store, collection, &next, LIMITS.document_bytes, &|| Ok(()))?;
    Ok((!rest.is_empty()).then_some(Omitted::Unknown))
}

/// The error of a call that is longer than its run.
pub(crate) fn out_of_time() -> Error {
    Error::new(ErrorCode::Timeout, "the run's time ended before the list was complete")
}

/// The page's JSON is larger than it may be.
pub(super) fn too_large() -> Error {
    let limit = LIMITS.page_bytes >> 20;
    Error::new(ErrorCode::Limit, format!("the page is larger than {limit} MiB: ask for fewer documents with limit"))
}

/// A page whose JSON is no larger than `bytes`.
pub(super) fn page(
    tables: &mut Tables<'_>,
    collection: &str,
    options: &ListOptions,
    bytes: usize,
    look: Look<'_>,
) -> Result<Vec<Document>, Error> {
    let Some(number) = tables.collections.number(collection).map_err(failed)? else { return Ok(Vec::new()) };
    let mut page = Page { documents: Vec::new(), room: bytes, look };
    let count = tables.collections.count(collection).map_err(failed)?;
    match options.sort {
        Sort::Key => page.by_key(&tables.documents, number, options)?,
        Sort::CreatedAt => page.by_place(&tables.by_created, tables, number, options)?,
        Sort::UpdatedAt => page.by_place(&tables.by_updated, tables, number, options)?,
    }
    if !agrees(count, options, page.documents.len()) {
        return Err(failed(value::damaged()));
    }
    Ok(page.documents)
}

/// Whether as many documents were found as the collection counts: in a damaged file some may be out of reach. Nobody counts
/// the documents of a part.
fn agrees(count: u64, options: &ListOptions, found: usize) -> bool {
    let expected = count.saturating_sub(options.offset.into()).min(options.limit.into());
    let is_part = options.prefix.is_some() || options.after.is_some();
    if is_part { found as u64 <= expected } else { found as u64 == expected }
}

struct Page<'l> {
    documents: Vec<Document>,
    /// How many bytes of JSON may still be added.
    room: usize,
    look: Look<'l>,
}

impl Page<'_> {
    fn by_key(
        &mut self,
        documents: &Table<'_, &'static [u8], &'static [u8]>,
        number: u64,
        options: &ListOptions,
    ) -> Result<(), Error> {
        let (prefix, after) = (options.prefix.as_deref().unwrap_or_default(), options.after.as_deref());
        let Some(part) = range(number, prefix, after, options.descending) else { return Ok(()) };
        let rows = documents.range::<&[u8]>(part.bounds()).map_err(failed)?;
        for_each(rows, options, self.look, |key, row| {
            value::in_collection(number, key.value()).map_err(failed)?;
            self.add(key.value(), row.value())
        })
    }

    fn by_place(
        &mut self,
        order: &Table<'_, &'static Place, &'static [u8]>,
        tables: &Tables<'_>,
        number: u64,
        options: &ListOptions,
    ) -> Result<(), Error> {
        let mut document_key = Vec::new();
        let part = value::first_place(number)..value::first_place(number + 1);
        let rows = order.range::<&Place>(&part.start..&part.end).map_err(failed)?;
        for_each(rows, options, self.look, |place, key| {
            value::document_key(number, key.value(), &mut document_key);
            let row = tables.documents.get(&*document_key).map_err(failed)?;
            let row = row.ok_or_else(|| failed(value::damaged()))?;
            let (created, updated) = value::moments(&document_key, row.value()).map_err(failed)?;
            if ![created, updated].iter().any(|moment| value::place(number, *moment) == *place.value()) {
                return Err(failed(value::damaged()));
            }
            self.add(&document_key, row.value())
        })
    }

    /// Fails when it does not fit.
    fn add(&mut self, document_key: &[u8], row: &[u8]) -> Result<(), Error> {
        let size = row.len().saturating_sub(value::ROW_HEAD);
        self.room = self.room.checked_sub(size).ok_or_else(too_large)?;
        self.documents.push(value::document(document_key, row).map_err(failed)?);
        Ok(())
    }
}

/// The rows of a page, from the end where its order begins.
fn for_each<K: Key, V: Value>(
    rows: Range<'_, K, V>,
    options: &ListOptions,
    look: Look<'_>,
    mut f: impl FnMut(AccessGuard<'_, K>, AccessGuard<'_, V>) -> Result<(), Error>,
) -> Result<(), Error> {
    let rows: Box<dyn Iterator<Item = _>> = if options.descending { Box::new(rows.rev()) } else { Box::new(rows) };
    let (offset, limit) = (options.offset as usize, options.limit as usize);
    if limit == 0 {
        return Ok(());
    }
    for (index, row) in rows.take(offset.saturating_add(limit)).enumerate() {
        if index % ROWS_A_LOOK == ROWS_A_LOOK - 1 {
            look()?;
        }
        let (key, value) = row.map_err(failed)?;
        if index >= offset {
            f(key, value)?;
        }
    }
    Ok(())
}
