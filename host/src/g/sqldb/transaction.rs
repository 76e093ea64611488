//! A transaction: one connection, for as long as a callback of the script's runs.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Mutex;

use super::{
    IN_TRANSACTION,
    connection::Lease,
    parameter::read,
    refuse_control,
    rows::{Answer, Query, Wanted},
};
use crate::{
    Error, ErrorCode,
    gate::{Call, CleanupGuard},
};

/// A transaction that a script holds. Dropped, it is undone.
#[derive(Clone)]
pub struct Transaction(Arc<Mutex<State>>);

enum State {
    Open(Box<CleanupGuard<Lease>>),
    /// Its callback has ended.
    Ended,
    /// A call in it was cut, so that the connection is gone.
    Cut,
}

const CUT: &str = "nothing was committed: the transaction was rolled back because a call in it was interrupted or its connection broke";

impl Transaction {
    /// Begins one.
    pub(super) async fn begin(mut connection: CleanupGuard<Lease>) -> Result<Self, Error> {
        simple(&mut connection, "BEGIN").await?;
        Ok(Self(Arc::new(Mutex::new(State::Open(Box::new(connection))))))
    }

    /// Runs a statement, after those that are under way.
    pub(super) async fn run(
        &self,
        call: &Call<'_>,
        sql: &str,
        params: Option<&str>,
        wanted: Wanted,
    ) -> Result<Answer, Error> {
        let values = params.map_or(Ok(Vec::new()), |params| read("params", params))?;
        refuse_control(sql, IN_TRANSACTION)?;
        let mut state = self.0.lock().await;
        let mut connection = take(&mut state, State::Cut)?;
        let query = Query { sql, values: &values, in_transaction: true };
        let answer = connection.run(&query, wanted, &mut call.buffer()).await;
        // One whose answer was not read to its end is left to be cleaned up.
        if !connection.is_busy() {
            *state = State::Open(connection);
        }
        answer
    }

    /// Makes what was done last.
    pub(super) async fn commit(&self) -> Result<(), Error> {
        let mut connection = take(&mut *self.0.lock().await, State::Ended)?;
        commit(&mut connection).await
    }

    /// Undoes what was done.
    pub(super) async fn rollback(&self) -> Result<(), Error> {
        let mut state = self.0.lock().await;
        if matches!(*state, State::Cut) {
            *state = State::Ended;
            return Ok(());
        }
        let mut connection = take(&mut state, State::Ended)?;
        simple(&mut connection, "ROLLBACK").await
    }
}

/// Takes the connection out: who is cut while it has it leaves none behind.
fn take(state: &mut State, next: State) -> Result<Box<CleanupGuard<Lease>>, Error> {
    match std::mem::replace(state, next) {
        State::Open(connection) => Ok(connection),
        State::Ended => {
            *state = State::Ended;
            Err(Error::new(ErrorCode::NotFound, "the transaction has ended"))
        }
        State::Cut => {
            // The callback may look at it again, but for its end.
            if !matches!(state, State::Ended) {
                *state = State::Cut;
            }
            Err(failed(CUT))
        }
    }
}

/// Nothing was committed, as the server has it when a statement failed.
fn failed(message: &str) -> Error {
    Error::new(ErrorCode::Backend, message).detailed(Some(json!({ "sqlstate": "25P02" })))
}

/// Ends a transaction with what was done in it.
pub(super) async fn commit(connection: &mut CleanupGuard<Lease>) -> Result<(), Error> {
    let tag = connection.client.batch_execute("COMMIT").await;
    match tag.map_err(|error| connection.failed(error, None, true))?.as_str() {
        "COMMIT" => Ok(()),
        // What the server makes of COMMIT in a transaction that failed.
        _ => Err(failed("nothing was committed: a statement in the transaction has failed")),
    }
}

/// A statement of ours, without parameters, that changes nothing by itself.
pub(super) async fn simple(connection: &mut CleanupGuard<Lease>, sql: &str) -> Result<(), Error> {
    let done = connection.client.batch_execute(sql).await;
    done.map(drop).map_err(|error| connection.failed(error, None, false))
}
