//! Methods that change documents.

use mongodb::{
    bson::{Bson, Document, RawDocumentBuf, doc},
    results::UpdateResult,
};
use serde_json::json;

use super::{
    Place, argument, bulk,
    client::Session,
    error::{Access, at_index, of_answer},
    text,
};
use crate::{Error, ErrorCode, gate::Call};

/// The result of an update: the number of documents that matched, and of those that changed.
pub(super) type Updated = (u64, u64);

/// Which of the matching documents a method changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    First,
    All,
}

pub(super) async fn insert_one(call: &Call<'_>, place: Place<'_>, document: &str) -> Result<String, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let document = argument::document(&mut memory, "document", document)?;
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    let (documents, ids) = add_missing_ids(vec![document])?;
    let (Some(document), Some(id)) = (documents.first(), ids.into_iter().next()) else {
        return Err(Error::internal("one document has one id"));
    };
    let failed = match session.request(Access::Write, collection.insert_one(document)).await {
        Ok(_) => return Ok(id),
        Err(failed) => failed,
    };
    if failed.code != ErrorCode::Conflict {
        return Err(failed);
    }
    // The driver's error does not contain the duplicate key, so the insert is repeated as a raw command, whose answer
    // contains the key.
    match insert(&session, place, documents).await? {
        (_, None) => Ok(id),
        (_, Some((_, failed))) => Err(failed),
    }
}

/// Stores documents in order, up to the first that fails. Returns their ids as text.
pub(super) async fn insert_many(call: &Call<'_>, place: Place<'_>, documents: &str) -> Result<Vec<String>, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let documents = argument::documents(&mut memory, "documents", documents)?;
    let session = Session::begin(call, place.conn).await?;
    match insert(&session, place, documents).await? {
        (ids, None) => Ok(ids),
        (ids, Some((index, error))) => {
            Err(at_index(error, index, json!({ "insertedCount": ids.len(), "insertedIds": ids })))
        }
    }
}

/// The ids of the documents that were stored, and the index and the error of the first document that was not.
pub(super) type Inserted = (Vec<String>, Option<(usize, Error)>);

/// Stores documents in order, up to the first that fails.
///
/// The driver's own method reports neither the documents that were stored before a batch that fails, nor the duplicate
/// key.
pub(super) async fn insert(
    session: &Session,
    place: Place<'_>,
    documents: Vec<RawDocumentBuf>,
) -> Result<Inserted, Error> {
    // The ids are generated here, so that they are known when a later document fails.
    let (documents, mut ids) = add_missing_ids(documents)?;
    let mut stored = 0;
    for batch in bulk::batches(documents) {
        let length = batch.len();
        let (inserted, failed) = match bulk::insert_batch(session, place, batch).await {
            Ok(answer) => {
                let failed = of_answer(&answer);
                let inserted = match &failed {
                    // No document after the failed one is stored, even if the server counts more (mongo-java-server).
                    Some((index, _)) if answer.contains_key("writeErrors") => *index,
                    _ => usize::try_from(bulk::count(&answer, "n")).unwrap_or(usize::MAX),
                };
                (inserted.min(length), failed)
            }
            // From the first document of the batch on, the outcome is unknown.
            Err(error) => (0, Some((0, error))),
        };
        if let Some((index, error)) = failed {
            ids.truncate(stored + inserted);
            return Ok((ids, Some((stored + index, error))));
        }
        stored += length;
    }
    Ok((ids, None))
}

/// Adds an ObjectId to each document without an id. Returns the documents, and their ids as text.
fn add_missing_ids(documents: Vec<RawDocumentBuf>) -> Result<(Vec<RawDocumentBuf>, Vec<String>), Error> {
    let mut ids = Vec::with_capacity(documents.len());
    let mut complete = Vec::with_capacity(documents.len());
    for document in documents {
        let id =
            document.get("_id").map_err(Error::internal)?.map(Bson::try_from).transpose().map_err(Error::internal)?;
        if let Some(id) = id {
            ids.push(text::id_text(&id));
            complete.push(document);
            continue;
        }
        let id = mongodb::bson::oid::ObjectId::new();
        let mut with_id = RawDocumentBuf::new();
        with_id.append(mongodb::bson::raw::cstr!("_id"), id);
        for member in document.iter() {
            let (name, value) = member.map_err(Error::internal)?;
            with_id.append(name, value);
        }
        ids.push(id.to_hex());
        complete.push(with_id);
    }
    Ok((complete, ids))
}

pub(super) async fn update(
    call: &Call<'_>,
    place: Place<'_>,
    which: Which,
    filter: &str,
    update: &str,
) -> Result<Updated, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let filter = argument::filter(&mut memory, Some(filter))?;
    let update = argument::update(&mut memory, "update", update)?;
    let session = Session::begin(call, place.conn).await?;
    if which == Which::First {
        let collection = place.collection(&session);
        let request = collection.update_one(filter, update);
        return session.request(Access::Write, request).await.map(|updated| counts(&updated));
    }
    let statement = doc! { "q": filter, "u": bulk::modification(update)?, "multi": true };
    let answer = complete(bulk::update(call, &session, place, vec![statement]).await?)?;
    Ok((bulk::count(&answer, "n"), bulk::count(&answer, "nModified")))
}

pub(super) async fn replace(
    call: &Call<'_>,
    place: Place<'_>,
    filter: &str,
    replacement: &str,
) -> Result<Updated, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let filter = argument::filter(&mut memory, Some(filter))?;
    let replacement = argument::replacement(&mut memory, "replacement", replacement)?;
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    let request = collection.replace_one(filter, replacement);
    session.request(Access::Write, request).await.map(|updated| counts(&updated))
}

/// Returns the answer to a command with one statement, or the error of that statement.
fn complete(answer: Document) -> Result<Document, Error> {
    match of_answer(&answer) {
        Some((_, error)) => Err(error),
        None => Ok(answer),
    }
}

fn counts(updated: &UpdateResult) -> Updated {
    (updated.matched_count, updated.modified_count)
}

pub(super) async fn delete(call: &Call<'_>, place: Place<'_>, which: Which, filter: &str) -> Result<u64, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let filter = argument::filter(&mut memory, Some(filter))?;
    let session = Session::begin(call, place.conn).await?;
    if which == Which::First {
        let collection = place.collection(&session);
        let request = collection.delete_one(filter);
        return Ok(session.request(Access::Write, request).await?.deleted_count);
    }
    let statement = doc! { "q": filter, "limit": 0 };
    let answer = complete(bulk::delete(call, &session, place, vec![statement]).await?)?;
    Ok(bulk::count(&answer, "n"))
}
