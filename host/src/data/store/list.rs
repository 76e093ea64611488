//! A page of a collection. Its cost is that of the rows that it skips and returns, whatever the size of the collection.

use redb::{AccessGuard, Key, Range, ReadableTable, Table, Value};

use super::{
    KEY_BYTES, Tables, check_collection, check_name,
    range::range,
    value::{self, Document, OrderKey},
};
use crate::{
    Error, ErrorCode,
    data::{self, DataLimits, Omitted, failed, validate::size},
};

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By key, in the order of its bytes.
    Key,
    /// By the time of creation.
    CreatedAt,
    /// By the time of the last update.
    #[default]
    UpdatedAt,
}

/// Which documents a list contains, and in what order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// The maximum number of documents.
    pub limit: u32,
    /// The number of documents to skip before the first.
    pub offset: u32,
    /// The order.
    pub sort: Sort,
    /// Whether the order is reversed.
    pub descending: bool,
    /// Only keys that begin with this text. Requires `Sort::Key`.
    pub prefix: Option<String>,
    /// Only keys after this one in the order of the list: greater keys, or smaller ones if `descending`. Requires
    /// `Sort::Key`.
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
            None => check_prefix_and_after(self.prefix.as_deref(), self.after.as_deref()),
        }
    }
}

impl Sort {
    /// Returns the name that scripts use.
    fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::CreatedAt => "createdAt",
            Self::UpdatedAt => "updatedAt",
        }
    }
}

/// Checks the prefix, which may be empty, and the key after which a page begins, which may not.
pub(super) fn check_prefix_and_after(prefix: Option<&str>, after: Option<&str>) -> Result<(), Error> {
    prefix.filter(|prefix| !prefix.is_empty()).map_or(Ok(()), |prefix| check_name("prefix", prefix, KEY_BYTES))?;
    after.map_or(Ok(()), |after| check_name("after", after, KEY_BYTES))
}

/// Fails if the call has to stop because the run's time is over. `list` calls it once every `ROWS_PER_CHECK` rows.
pub(crate) type CheckTime<'l> = &'l dyn Fn() -> Result<(), Error>;
const ROWS_PER_CHECK: usize = 1_024;

/// Returns a page of a collection; it is empty if the collection does not exist.
pub(crate) fn list(
    t: &mut data::Tables<'_>,
    collection: &str,
    options: &ListOptions,
    check_time: CheckTime<'_>,
) -> Result<Vec<Document>, Error> {
    check_collection(collection)?;
    options.check()?;
    page(&mut t.store, collection, options, t.limits.page, check_time)
}

/// Returns what a full page omits, if anything: the total number of documents of the collection, or, with `prefix` or
/// `after`, only that there are more.
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
    let rest = self::page(&mut t.store, collection, &next, DataLimits::MAX.document, &|| Ok(()))?;
    Ok((!rest.is_empty()).then_some(Omitted::Unknown))
}

/// Returns the error of a call that was stopped because the run's time is over.
pub(crate) fn out_of_time() -> Error {
    Error::new(ErrorCode::Timeout, "the run's time ended before the list was complete")
}

/// Returns the error of a page that exceeds the limit.
pub(super) fn too_large(limit: usize) -> Error {
    let limit = size(limit);
    Error::new(ErrorCode::Limit, format!("the page is larger than {limit}: ask for fewer documents with limit"))
}

/// Returns a page whose JSON is no larger than `bytes`; fails if it would be.
pub(super) fn page(
    tables: &mut Tables<'_>,
    collection: &str,
    options: &ListOptions,
    bytes: usize,
    check_time: CheckTime<'_>,
) -> Result<Vec<Document>, Error> {
    let Some(number) = tables.collections.number(collection).map_err(failed)? else { return Ok(Vec::new()) };
    let mut page = Page { documents: Vec::new(), limit: bytes, room: bytes, check_time };
    let count = tables.collections.count(collection).map_err(failed)?;
    match options.sort {
        Sort::Key => page.by_key(&tables.documents, number, options)?,
        Sort::CreatedAt => page.by_order_key(&tables.by_created, tables, number, options)?,
        Sort::UpdatedAt => page.by_order_key(&tables.by_updated, tables, number, options)?,
    }
    if !agrees(count, options, page.documents.len()) {
        return Err(failed(value::damaged()));
    }
    Ok(page.documents)
}

/// Whether the page has as many documents as the count of the collection implies; in a corrupt file, some may be
/// unreachable. With `prefix` or `after`, the count is only an upper bound.
fn agrees(count: u64, options: &ListOptions, found: usize) -> bool {
    let expected = count.saturating_sub(options.offset.into()).min(options.limit.into());
    let is_filtered = options.prefix.is_some() || options.after.is_some();
    if is_filtered { found as u64 <= expected } else { found as u64 == expected }
}

struct Page<'l> {
    documents: Vec<Document>,
    /// The largest size of the page, in bytes of JSON.
    limit: usize,
    /// The number of bytes of JSON that may still be added.
    room: usize,
    check_time: CheckTime<'l>,
}

impl Page<'_> {
    fn by_key(
        &mut self,
        documents: &Table<'_, &'static [u8], &'static [u8]>,
        number: u64,
        options: &ListOptions,
    ) -> Result<(), Error> {
        let (prefix, after) = (options.prefix.as_deref().unwrap_or_default(), options.after.as_deref());
        let Some(keys) = range(number, prefix, after, options.descending) else { return Ok(()) };
        let rows = documents.range::<&[u8]>(keys.bounds()).map_err(failed)?;
        for_each(rows, options, self.check_time, |key, row| {
            value::in_collection(number, key.value()).map_err(failed)?;
            self.add(key.value(), row.value())
        })
    }

    fn by_order_key(
        &mut self,
        order: &Table<'_, &'static OrderKey, &'static [u8]>,
        tables: &Tables<'_>,
        number: u64,
        options: &ListOptions,
    ) -> Result<(), Error> {
        let mut document_key = Vec::new();
        let keys = value::first_order_key(number)..value::first_order_key(number + 1);
        let rows = order.range::<&OrderKey>(&keys.start..&keys.end).map_err(failed)?;
        for_each(rows, options, self.check_time, |order_key, key| {
            value::document_key(number, key.value(), &mut document_key);
            let row = tables.documents.get(&*document_key).map_err(failed)?;
            let row = row.ok_or_else(|| failed(value::damaged()))?;
            let (created, updated) = value::moments(&document_key, row.value()).map_err(failed)?;
            if ![created, updated].iter().any(|moment| value::order_key(number, *moment) == *order_key.value()) {
                return Err(failed(value::damaged()));
            }
            self.add(&document_key, row.value())
        })
    }

    /// Adds a document; fails if the page would exceed its limit.
    fn add(&mut self, document_key: &[u8], row: &[u8]) -> Result<(), Error> {
        let size = row.len().saturating_sub(value::ROW_HEAD);
        self.room = self.room.checked_sub(size).ok_or_else(|| too_large(self.limit))?;
        self.documents.push(value::document(document_key, row).map_err(failed)?);
        Ok(())
    }
}

/// Calls `f` for each row of the page, in its order: skips `offset` rows, then takes up to `limit`.
fn for_each<K: Key, V: Value>(
    rows: Range<'_, K, V>,
    options: &ListOptions,
    check_time: CheckTime<'_>,
    mut f: impl FnMut(AccessGuard<'_, K>, AccessGuard<'_, V>) -> Result<(), Error>,
) -> Result<(), Error> {
    let rows: Box<dyn Iterator<Item = _>> = if options.descending { Box::new(rows.rev()) } else { Box::new(rows) };
    let (offset, limit) = (options.offset as usize, options.limit as usize);
    if limit == 0 {
        return Ok(());
    }
    for (index, row) in rows.take(offset.saturating_add(limit)).enumerate() {
        if index % ROWS_PER_CHECK == ROWS_PER_CHECK - 1 {
            check_time()?;
        }
        let (key, value) = row.map_err(failed)?;
        if index >= offset {
            f(key, value)?;
        }
    }
    Ok(())
}
