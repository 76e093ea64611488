//! What the tables of the queue say as a whole.

use redb::{Error, ReadTransaction, ReadableTable};

use super::queues::NAMES;

/// Whether there is no item, in any state.
pub(crate) fn holds_nothing(transaction: &ReadTransaction) -> Result<bool, Error> {
    Ok(transaction.open_table(NAMES)?.first()?.is_none())
}
