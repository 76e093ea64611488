//! The pages of an iteration: the documents of a collection in the order of keys. Each page begins after the last key
//! of the previous one. Other calls are executed between two pages.

use redb::ReadableTable;

use super::{
    check_collection,
    list::check_prefix_and_after,
    range::range,
    value::{self, Document},
};
use crate::{
    Error,
    data::{self, failed},
};

/// The limits of a page: documents, and bytes of rows. The first document is returned whatever its size.
const PAGE_DOCUMENTS: usize = 256;
const PAGE_BYTES: usize = 1 << 20;

/// Which documents an iteration returns, and in what order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AllOptions {
    /// Only keys that begin with this text.
    pub(crate) prefix: Option<String>,
    /// Only keys after this one in the order of the iteration: greater keys, or smaller ones if `descending`.
    pub(crate) after: Option<String>,
    /// Whether the order is reversed.
    pub(crate) descending: bool,
}

/// Returns the next page; it is empty at the end.
pub(crate) fn all(t: &mut data::Tables<'_>, collection: &str, options: &AllOptions) -> Result<Vec<Document>, Error> {
    check_collection(collection)?;
    check_prefix_and_after(options.prefix.as_deref(), options.after.as_deref())?;
    let Some(number) = t.store.collections.number(collection).map_err(failed)? else { return Ok(Vec::new()) };
    let prefix = options.prefix.as_deref().unwrap_or_default();
    let Some(keys) = range(number, prefix, options.after.as_deref(), options.descending) else { return Ok(Vec::new()) };
    let rows = t.store.documents.range::<&[u8]>(keys.bounds()).map_err(failed)?;
    let rows: Box<dyn Iterator<Item = _>> = if options.descending { Box::new(rows.rev()) } else { Box::new(rows) };
    let (mut documents, mut bytes) = (Vec::new(), 0);
    for row in rows.take(PAGE_DOCUMENTS) {
        let (key, row) = row.map_err(failed)?;
        value::in_collection(number, key.value()).map_err(failed)?;
        bytes += row.value().len();
        if bytes > PAGE_BYTES && !documents.is_empty() {
            break;
        }
        documents.push(value::document(key.value(), row.value()).map_err(failed)?);
    }
    Ok(documents)
}
