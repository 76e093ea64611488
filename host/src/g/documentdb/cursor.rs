//! Reads the results of a query batch by batch, and closes the cursor on the server.

use std::future::IntoFuture;

use futures_util::StreamExt;
use mongodb::{
    Client,
    bson::{Bson, RawDocument, RawDocumentBuf, doc},
    error::{ErrorKind, Result as DriverResult},
    raw_batch_cursor::{RawBatch, RawBatchCursor},
};

use super::{
    client::Session,
    error::Access,
    text::{self, Out},
};
use crate::{
    Error, ErrorCode,
    gate::{ByteCounter, Call, error::protocol},
};

/// A cursor on the server.
struct OpenCursor {
    cursor: RawBatchCursor,
    client: Client,
    db: String,
    collection: String,
    /// Known from the first batch; 0 once the server has closed it.
    id: i64,
}

impl OpenCursor {
    /// Closes the cursor on the server.
    async fn close(self) {
        let Self { cursor, client, db, collection, id } = self;
        // Dropping the cursor sends `killCursors` to the right server, but this can't be awaited. So the command is
        // sent a second time, and awaited; with several servers, the second may reach another one than the cursor's.
        drop(cursor);
        if id != 0 {
            let db = client.database(&db);
            let mut close = db.run_command(doc! { "killCursors": collection, "cursors": [id] });
            if let Some(criteria) = client.selection_criteria() {
                close = close.selection_criteria(criteria.clone());
            }
            if let Err(error) = close.await {
                // Only the code is logged: the messages of other kinds of errors contain host names.
                let code = if let ErrorKind::Command(command) = &*error.kind { command.code } else { 0 };
                tracing::debug!("a cursor was not closed (code {code})");
            }
        }
    }
}

/// Runs a query and returns its documents as text (`bson-results`), counted by `counter`.
pub(super) async fn read(
    call: &Call<'_>,
    session: &Session,
    names: (&str, &str),
    access: Access,
    query: impl IntoFuture<Output = DriverResult<RawBatchCursor>>,
    counter: &mut ByteCounter,
) -> Result<String, Error> {
    let mut out = Out::new(counter);
    each(call, session, names, access, query, |document| text::document(&mut out, document))
        .await
        .map_err(advise_paging)?;
    out.finish().map_err(advise_paging)
}

/// Runs a query, and calls `add` with each of its documents.
pub(super) async fn each(
    call: &Call<'_>,
    session: &Session,
    (db, collection): (&str, &str),
    access: Access,
    query: impl IntoFuture<Output = DriverResult<RawBatchCursor>>,
    mut add: impl FnMut(&RawDocument) -> Result<(), Error>,
) -> Result<(), Error> {
    let cursor = session.request(access, query).await?;
    let names = (db.to_owned(), collection.to_owned());
    let open = OpenCursor { cursor, client: session.client().clone(), db: names.0, collection: names.1, id: 0 };
    let mut open = call.guard(open, OpenCursor::close);
    loop {
        let next = session.request(Access::Read, async { open.cursor.next().await.transpose() }).await?;
        let Some(batch) = next else { break };
        open.id = cursor_id(&batch)?;
        // The batch counts as memory until it is converted.
        let mut bytes = call.answer_counter();
        bytes.grow(batch.as_raw_document().as_bytes().len())?;
        documents(&batch, &mut add)?;
    }
    drop(open.done());
    Ok(())
}

/// Returns the cursor's id, which every batch contains.
fn cursor_id(batch: &RawBatch) -> Result<i64, Error> {
    let cursor = batch.as_raw_document().get_document("cursor");
    cursor.and_then(|cursor| cursor.get_i64("id")).map_err(|_| protocol("a batch without a cursor"))
}

/// Calls `add` with the documents of a batch.
fn documents(batch: &RawBatch, add: &mut impl FnMut(&RawDocument) -> Result<(), Error>) -> Result<(), Error> {
    for document in batch.doc_slices().map_err(|_| protocol("a batch without documents"))? {
        let document = document.map_err(|_| protocol("a batch with invalid BSON"))?;
        add(document.as_document().ok_or_else(|| protocol("a batch of other values"))?)?;
    }
    Ok(())
}

/// Writes values as text (`bson-results`), and frees each value as soon as it is written.
pub(super) fn values(values: Vec<Bson>, counter: &mut ByteCounter) -> Result<String, Error> {
    let mut out = Out::new(counter);
    for value in values {
        let one = rawdoc(value)?;
        let value = one.get("value").map_err(Error::internal)?.ok_or_else(|| Error::internal("a value is missing"))?;
        text::value(&mut out, value)?;
    }
    out.finish()
}

fn rawdoc(value: Bson) -> Result<RawDocumentBuf, Error> {
    RawDocumentBuf::try_from(&doc! { "value": value }).map_err(Error::internal)
}

/// Adds advice to an error about a limit.
fn advise_paging(mut error: Error) -> Error {
    if error.code == ErrorCode::Limit {
        error.message += ": read the documents in pages, with a limit and a filter on the last _id";
    }
    error
}
