//! Checks that the tables of the searchable documents agree with each other.

use redb::{Error, ReadTransaction, ReadableTable};
use serde::de::IgnoredAny;

use super::{
    tables::{CLEARED, DEFINITIONS, DOCUMENTS, LOG},
    value,
};
use crate::data::{Problems, collections::Check, log};

/// Notes every problem of the documents, their counts, and the log of the index.
pub(super) fn check(transaction: &ReadTransaction, problems: &mut Problems) -> Result<(), Error> {
    let mut check = Check::of("g.search", transaction, &DEFINITIONS, CLEARED, problems)?;
    for row in transaction.open_table(DOCUMENTS)?.iter()? {
        let (name, row) = row?;
        document(&mut check, name.value(), row.value());
    }
    check.counts();
    log::check(transaction, LOG, problems)
}

fn document(check: &mut Check<'_>, name: &[u8], row: &[u8]) {
    let Some((_, _, shown)) = check.document(name) else { return };
    let fields = value::key(name).and_then(|_| value::fields(name, row));
    if !fields.is_ok_and(|fields| serde_json::from_str::<IgnoredAny>(&fields).is_ok()) {
        check.problems.note(format!("{shown} is damaged"));
    }
}
