//! Statements in one transaction.

use serde_json::{Map, Value};

use super::{
    IN_TRANSACTION,
    connection::Lease,
    parameter::{Js, read},
    refuse_control,
    rows::{Query, Wanted},
    transaction::{commit, simple},
};
use crate::{
    Error,
    gate::{Call, CleanupGuard},
};

/// A statement of a batch.
pub(super) struct Statement<'a> {
    sql: &'a str,
    values: Vec<Js<'a>>,
}

/// Looks at all statements before the first is run.
pub(super) fn read_all<'a>(given: &[(&'a str, Option<&'a str>)]) -> Result<Vec<Statement<'a>>, Error> {
    let read = |(at, (sql, params)): (usize, &(&'a str, Option<&'a str>))| {
        let values = params.map_or(Ok(Vec::new()), |params| read(&format!("statements[{at}].params"), params));
        refuse_control(sql, IN_TRANSACTION)
            .and(values)
            .map(|values| Statement { sql, values })
            .map_err(|error| of_statement(error, at))
    };
    given.iter().enumerate().map(read).collect()
}

/// Runs them; how many rows each touched.
pub(super) async fn run(
    call: &Call<'_>,
    connection: &mut CleanupGuard<Lease>,
    statements: &[Statement<'_>],
) -> Result<Vec<u64>, Error> {
    simple(connection, "BEGIN").await?;
    let mut counts = Vec::new();
    for (at, Statement { sql, values }) in statements.iter().enumerate() {
        let query = Query { sql, values, in_transaction: true };
        match connection.run(&query, Wanted::Count, &mut call.buffer()).await {
            Ok(answer) => counts.push(answer.count),
            Err(error) => {
                // Others need not wait for the connection to be cleaned up.
                if !connection.is_busy() {
                    simple(connection, "ROLLBACK").await?;
                }
                return Err(of_statement(error, at));
            }
        }
    }
    commit(connection).await?;
    Ok(counts)
}

/// The same error with the place of its statement.
fn of_statement(error: Error, at: usize) -> Error {
    let mut details = match &error.details {
        Some(Value::Object(details)) => details.clone(),
        _ => Map::new(),
    };
    details.insert("statement".to_owned(), at.into());
    error.detailed(Some(details.into()))
}
