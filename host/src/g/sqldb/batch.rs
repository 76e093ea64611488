//! Statements in one transaction.

use super::{
    connection::Connection,
    execute::Wanted,
    statement::{Scope, Statement},
    transaction::{commit, simple},
};
use crate::{Error, gate::Call};

/// Parses all statements before the first is run.
pub(super) fn read_all<'a>(given: &[(&'a str, Option<&'a str>)]) -> Result<Vec<Statement<'a>>, Error> {
    let read = |(at, (sql, params)): (usize, &(&'a str, Option<&'a str>))| {
        let statement = Statement::read(&format!("statements[{at}].params"), sql, *params, Scope::Transaction);
        statement.map_err(|error| of_statement(error, at))
    };
    given.iter().enumerate().map(read).collect()
}

/// Runs them. Returns how many rows each touched.
pub(super) async fn run(
    call: &Call<'_>,
    connection: &mut Connection,
    statements: &[Statement<'_>],
) -> Result<Vec<u64>, Error> {
    simple(connection, "BEGIN").await?;
    let mut counts = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        match connection.run(statement, Wanted::Count, &mut call.answer_counter()).await {
            Ok(answer) => counts.push(answer.count),
            Err(error) => {
                // Others need not wait for the connection to be reset.
                if !connection.client.is_running() {
                    simple(connection, "ROLLBACK").await?;
                }
                return Err(of_statement(error, at));
            }
        }
    }
    commit(connection).await?;
    Ok(counts)
}

/// The same error with the index of its statement.
fn of_statement(error: Error, at: usize) -> Error {
    error.with_detail("statement", at)
}
