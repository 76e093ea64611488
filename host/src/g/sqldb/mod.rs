//! An external PostgreSQL database. `sqldb.wit` defines the contract.

mod batch;
mod catalog;
mod config;
mod connection;
mod connection_string;
mod copy;
mod error;
mod execute;
mod host;
mod name;
mod parameter;
mod rows;
mod sql_lexer;
mod statement;
mod tls;
mod transaction;
mod value;
mod wire;

use std::sync::Arc;

use catalog::{Column, Constraint, Index, Table};
use connection::{Connection, Database, PooledConnection};
use copy::{Rows, TextRow};
use execute::{Answer, Wanted};
use statement::{Scope, Statement};
// The bindings name it, and theirs are public.
pub use transaction::Transaction;

use crate::{
    Error,
    gate::{Call, CleanupGuard},
};

/// The namespace in [`EXTERNAL`](super::EXTERNAL).
pub(crate) struct Sqldb;

/// Runs one statement.
async fn run(call: &Call<'_>, conn: &str, sql: &str, params: Option<&str>, wanted: Wanted) -> Result<Answer, Error> {
    let statement = Statement::read("params", sql, params, Scope::Autocommit)?;
    on_connection(call, conn, async |connection| connection.run(&statement, wanted, &mut call.answer_counter()).await)
        .await
}

/// Runs statements in one transaction. Returns how many rows each touched.
async fn execute_batch(call: &Call<'_>, conn: &str, statements: &[(&str, Option<&str>)]) -> Result<Vec<u64>, Error> {
    let statements = batch::read_all(statements)?;
    on_connection(call, conn, async |connection| batch::run(call, connection, &statements).await).await
}

/// Begins a transaction, which has a connection for itself.
async fn begin(call: &Call<'_>, conn: &str) -> Result<Transaction, Error> {
    Transaction::begin(connection(call, conn).await?).await
}

/// The version of the server, in a few words.
async fn server(call: &Call<'_>, database: Arc<Database>) -> Result<String, Error> {
    let sql = "SELECT 'PostgreSQL ' || pg_catalog.current_setting('server_version')";
    let statement = Statement::read("params", sql, None, Scope::Autocommit)?;
    let work =
        async |connection: &mut Connection| connection.run(&statement, Wanted::Value, &mut call.answer_counter()).await;
    let answer = work_and_release(database.connection(call).await?, work).await?;
    let answer: serde_json::Value = serde_json::from_str(&answer.json).map_err(Error::internal)?;
    Ok(answer["value"].as_str().unwrap_or_default().to_owned())
}

/// Does `work` on a connection with the secret of a name, and returns the connection to its pool.
async fn on_connection<R>(
    call: &Call<'_>,
    conn: &str,
    work: impl AsyncFnOnce(&mut Connection) -> Result<R, Error>,
) -> Result<R, Error> {
    work_and_release(connection(call, conn).await?, work).await
}

/// Does `work` on a connection, and returns the connection to its pool.
async fn work_and_release<R>(
    mut connection: CleanupGuard<PooledConnection>,
    work: impl AsyncFnOnce(&mut Connection) -> Result<R, Error>,
) -> Result<R, Error> {
    let result = work(&mut connection).await;
    PooledConnection::release(connection);
    result
}

/// A connection with the secret of a name.
async fn connection(call: &Call<'_>, conn: &str) -> Result<CleanupGuard<PooledConnection>, Error> {
    call.pool_of::<Database>(conn).await?.connection(call).await
}
