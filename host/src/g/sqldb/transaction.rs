//! A transaction: one connection, for as long as a callback of the script's runs.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::{
    IN_TRANSACTION,
    connection::Lease,
    failure,
    parameter::read,
    refuse_control,
    rows::{Answer, Query, Wanted},
};
use crate::{
    Error, ErrorCode,
    gate::{Gate, Held},
};

/// A transaction that a script holds. Dropped, it is undone.
#[derive(Clone)]
pub struct Transaction(Arc<Mutex<State>>);

enum State {
    Open(Box<Held<Lease>>),
    /// It was ended, or a call was cut: why nothing can be done with it.
    Ended(&'static str),
}

const ENDED: &str = "the transaction has ended";
const CUT: &str = "the transaction was undone: a call in it did not end in time, or its connection broke";

impl Transaction {
    /// Begins one.
    pub(super) async fn begin(mut connection: Held<Lease>) -> Result<Self, Error> {
        simple(&mut connection, "BEGIN", false).await?;
        Ok(Self(Arc::new(Mutex::new(State::Open(Box::new(connection))))))
    }

    /// Runs a statement, after those that are under way.
    pub(super) async fn run(
        &self,
        gate: &Gate,
        sql: &str,
        params: Option<&str>,
        wanted: Wanted,
    ) -> Result<Answer, Error> {
        gate.call(async {
            let values = params.map_or(Ok(Vec::new()), |params| read("params", params))?;
            refuse_control(sql, IN_TRANSACTION)?;
            let mut state = self.0.lock().await;
            let mut connection = take(&mut state, CUT)?;
            let query = Query { sql, values: &values, in_transaction: true };
            let answer = connection.run(&query, wanted, &mut gate.buffer()).await;
            // One whose answer was not read to its end is left to be cleaned up.
            if !connection.busy {
                *state = State::Open(connection);
            }
            answer
        })
        .await
    }

    /// Makes what was done last.
    pub(super) async fn commit(&self, gate: &Gate) -> Result<(), Error> {
        gate.call(async {
            let mut connection = take(&mut *self.0.lock().await, ENDED)?;
            // The server takes COMMIT of a failed transaction for ROLLBACK, and says so in a tag that can't be seen. A
            // statement before it, in the same packet, fails then.
            connection.busy = true;
            let client = &connection.client;
            let (good, committed) = tokio::join!(client.batch_execute("SELECT"), client.batch_execute("COMMIT"));
            match (good, committed) {
                (Ok(()), Ok(())) => {
                    connection.busy = false;
                    Ok(())
                }
                (Err(error), Ok(())) if failure::is_answer(&error) => {
                    connection.busy = false;
                    let error = connection.told(&error, None, false);
                    let message = "nothing was committed: a statement in the transaction had failed";
                    Err(Error::new(ErrorCode::Backend, message).detailed(error.details))
                }
                (_, Err(error)) => Err(connection.failed(&error, None, true)),
                (Err(error), Ok(())) => Err(connection.failed(&error, None, true)),
            }
        })
        .await
    }

    /// Undoes what was done.
    pub(super) async fn rollback(&self, gate: &Gate) -> Result<(), Error> {
        gate.call(async {
            let mut connection = take(&mut *self.0.lock().await, ENDED)?;
            simple(&mut connection, "ROLLBACK", false).await
        })
        .await
    }
}

/// Takes the connection out: who is cut while it has it leaves none behind.
fn take(state: &mut State, reason: &'static str) -> Result<Box<Held<Lease>>, Error> {
    match std::mem::replace(state, State::Ended(reason)) {
        State::Open(connection) => Ok(connection),
        State::Ended(reason) => {
            *state = State::Ended(reason);
            Err(Error::new(ErrorCode::NotFound, reason))
        }
    }
}

/// A statement of ours, without parameters. `may_have_happened` is for a connection that breaks.
pub(super) async fn simple(connection: &mut Held<Lease>, sql: &str, may_have_happened: bool) -> Result<(), Error> {
    connection.busy = true;
    match connection.client.batch_execute(sql).await {
        Ok(()) => {
            connection.busy = false;
            Ok(())
        }
        Err(error) => Err(connection.failed(&error, None, may_have_happened)),
    }
}
