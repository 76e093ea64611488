//! A transaction: one connection, for as long as a callback of the script's runs.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Mutex;

use super::{
    connection::{Connection, OutcomeIfBroken, PooledConnection},
    execute::{Answer, Wanted},
    statement::{Scope, Statement},
};
use crate::{
    Error, ErrorCode,
    gate::{Call, CleanupGuard},
};

/// A transaction that a script holds. Dropped, it is rolled back.
#[derive(Clone)]
pub struct Transaction(Arc<Mutex<State>>);

enum State {
    Open(Box<CleanupGuard<PooledConnection>>),
    /// Its callback has ended.
    Ended,
    /// A call in it was cancelled, so that the connection is gone.
    Cut,
}

const CUT: &str = "nothing was committed: the transaction was rolled back because a call in it was interrupted or its connection broke";

impl Transaction {
    /// Begins a transaction.
    pub(super) async fn begin(mut connection: CleanupGuard<PooledConnection>) -> Result<Self, Error> {
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
        let statement = Statement::read("params", sql, params, Scope::Transaction)?;
        let mut state = self.0.lock().await;
        let mut connection = take(&mut state, State::Cut)?;
        let answer = connection.run(&statement, wanted, &mut call.answer_counter()).await;
        // A connection whose answer was not read to its end is dropped, and so cleaned up.
        if !connection.client.is_running() {
            *state = State::Open(connection);
        }
        answer
    }

    /// Commits the transaction.
    pub(super) async fn commit(&self) -> Result<(), Error> {
        let mut connection = take(&mut *self.0.lock().await, State::Ended)?;
        let committed = commit(&mut connection).await;
        PooledConnection::release(*connection);
        committed
    }

    /// Rolls the transaction back.
    pub(super) async fn rollback(&self) -> Result<(), Error> {
        let mut state = self.0.lock().await;
        if matches!(*state, State::Cut) {
            *state = State::Ended;
            return Ok(());
        }
        let mut connection = take(&mut state, State::Ended)?;
        let rolled_back = simple(&mut connection, "ROLLBACK").await;
        PooledConnection::release(*connection);
        rolled_back
    }
}

/// Takes the connection out: a call that is cancelled while it has the connection leaves none behind.
fn take(state: &mut State, next: State) -> Result<Box<CleanupGuard<PooledConnection>>, Error> {
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

/// Commits the transaction that a connection is in.
pub(super) async fn commit(connection: &mut Connection) -> Result<(), Error> {
    let tag = connection.request(None, OutcomeIfBroken::Unknown, async |client| client.batch_execute("COMMIT").await);
    match tag.await?.as_str() {
        "COMMIT" => Ok(()),
        // The server's answer to COMMIT in a transaction that failed.
        _ => Err(failed("nothing was committed: a statement in the transaction has failed")),
    }
}

/// Runs a statement of ghost's own, without parameters, that changes nothing by itself.
pub(super) async fn simple(connection: &mut Connection, sql: &str) -> Result<(), Error> {
    connection.request(None, OutcomeIfBroken::NoEffect, async |client| client.batch_execute(sql).await).await.map(drop)
}
