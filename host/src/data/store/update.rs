//! Changes a document if it was not changed since it was read. No lock is held in between.

use super::{Document, check_names, value::Moment};
use crate::{
    Error, ErrorCode,
    data::{self, failed},
};

/// A document that was read in order to change it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The value, as JSON; `None` if the document does not exist.
    pub(crate) data: Option<String>,
    pub(crate) revision: Revision,
}

/// Identifies a state of a document by the moment of its last write; `None` if the document does not exist. The
/// sequence number alone is not enough: after a restore, a new write may get the number of a write that the restore
/// discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Revision(Option<Moment>);

impl Revision {
    pub(crate) fn to_text(self) -> String {
        self.0.map_or_else(String::new, |Moment { time, sequence }| format!("{time}-{sequence}"))
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let moment = || {
            let (time, sequence) = text.split_once('-')?;
            Some(Moment { time: time.parse().ok()?, sequence: sequence.parse().ok()? })
        };
        match moment() {
            None if !text.is_empty() => Err(Error::invalid("revision is not one that update returned")),
            moment => Ok(Self(moment)),
        }
    }
}

/// Reads a document in order to change it.
pub(crate) fn read(t: &mut data::Tables<'_>, collection: &str, key: &str) -> Result<Reading, Error> {
    let document = super::get(t, collection, key)?;
    let revision = Revision(document.as_ref().map(|document| document.updated));
    Ok(Reading { data: document.map(|document| document.data), revision })
}

/// Stores `data` if the document was not changed since it was read.
pub(crate) fn replace(
    t: &mut data::Tables<'_>,
    collection: &str,
    key: &str,
    revision: &str,
    data: String,
) -> Result<Document, Error> {
    check_names(collection, key)?;
    unchanged(t, collection, key, revision)?;
    super::put(t, collection, key, &data)?;
    let moments = t.store.moments(collection, key).map_err(failed)?;
    let (created, updated) = moments.ok_or_else(|| failed(super::value::damaged()))?;
    Ok(Document { key: key.to_owned(), data, created, updated })
}

/// Deletes the document if it was not changed since it was read.
pub(crate) fn remove(t: &mut data::Tables<'_>, collection: &str, key: &str, revision: &str) -> Result<(), Error> {
    check_names(collection, key)?;
    unchanged(t, collection, key, revision)?;
    super::delete(t, collection, key).map(drop)
}

fn unchanged(t: &mut data::Tables<'_>, collection: &str, key: &str, revision: &str) -> Result<(), Error> {
    let read = Revision::parse(revision)?;
    let now = t.store.moments(collection, key).map_err(failed)?.map(|(_, updated)| updated);
    if Revision(now) == read {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Conflict, "the document was changed since it was read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_goes_through_text_unchanged() {
        for moment in [None, Some(Moment { time: 0, sequence: 0 }), Some(Moment { time: u64::MAX, sequence: u64::MAX })]
        {
            assert_eq!(Revision::parse(&Revision(moment).to_text()).unwrap(), Revision(moment));
        }
        for wrong in ["-", "1", "1-", "-1", "1-2-3", "1 -2", "99999999999999999999-1"] {
            assert_eq!(Revision::parse(wrong).unwrap_err().code, ErrorCode::InvalidArgument, "{wrong}");
        }
    }
}
