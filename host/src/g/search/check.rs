//! Whether what the tables of the documents that are searched say of each other is true.

use redb::{Error, ReadTransaction, ReadableTable};
use serde::de::IgnoredAny;

use super::{
    tables::{CLEARED, COLLECTIONS, DEFINITIONS, DOCUMENTS, LOG},
    value,
};
use crate::{g::collections::Check, index, workspace::Problems};

/// Notes what is wrong with the documents, their counts, and what the index is still to take in.
pub(crate) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let mut check = Check::of("g.search", transaction, &DEFINITIONS, CLEARED, problems)?;
    for row in transaction.open_table(DOCUMENTS)?.iter()? {
        let (name, row) = row?;
        document(&mut check, name.value(), row.value());
    }
    check.counts();
    index::check(transaction, LOG, problems)
}

/// Whether there is no document.
pub(crate) fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
    Ok(transaction.open_table(COLLECTIONS)?.first()?.is_none())
}

fn document(check: &mut Check<'_>, name: &[u8], row: &[u8]) {
    let Some((_, _, shown)) = check.document(name) else { return };
    let fields = value::key(name).and_then(|_| value::fields(name, row));
    if !fields.is_ok_and(|fields| serde_json::from_str::<IgnoredAny>(&fields).is_ok()) {
        check.problems.note(format!("{shown} is damaged"));
    }
}
