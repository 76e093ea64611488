//! An external PostgreSQL database. The contract stands in `sqldb.wit`.

mod address;
mod batch;
mod catalog;
mod connection;
mod connection_string;
mod copy;
mod failure;
mod hidden;
mod host;
mod name;
mod parameter;
mod root_file;
mod rows;
mod tls;
mod transaction;
mod value;
mod wire;
mod words;

use std::{future::Future, pin::Pin, sync::Arc};

use catalog::{Column, Constraint, Index, Table};
pub(crate) use connection::Database;
use connection::Lease;
use copy::{Line, Rows};
use parameter::read;
use rows::{Answer, Query, Wanted};
// The bindings name it, and theirs are public.
pub use transaction::Transaction;

use super::External;
use crate::{
    Error, ErrorCode,
    gate::{Gate, Held},
    run::Parts,
    secrets::Secret,
};

/// What ghost knows of this namespace beside its methods.
pub(crate) const EXTERNAL: External =
    External { interface: "sqldb", fits: |secret| connection_string::is_one(secret.expose()), connect };

fn connect<'a>(gate: &'a Gate, secret: &'a Secret) -> Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>> {
    Box::pin(async move {
        let mut connection = database(gate, secret)?.connection(gate).await?;
        let sql = "SELECT 'PostgreSQL ' || pg_catalog.current_setting('server_version')";
        let query = Query { sql, values: &[], in_transaction: false };
        let answer = connection.run(&query, Wanted::Value, &mut gate.buffer()).await?;
        let answer: serde_json::Value = serde_json::from_str(&answer.json).map_err(Error::internal)?;
        Ok(answer["value"].as_str().unwrap_or_default().to_owned())
    })
}

/// Runs one statement.
async fn run(gate: &Gate, conn: &str, sql: &str, params: Option<&str>, wanted: Wanted) -> Result<Answer, Error> {
    gate.call(async {
        let values = params.map_or(Ok(Vec::new()), |params| read("params", params))?;
        refuse_control(sql, "outside of g.sqldb.transaction, where each call is a transaction of its own")?;
        let mut connection = leased(gate, conn).await?;
        let query = Query { sql, values: &values, in_transaction: false };
        connection.run(&query, wanted, &mut gate.buffer()).await
    })
    .await
}

/// Begins a transaction.
async fn begin(gate: &Gate, conn: &str) -> Result<Transaction, Error> {
    gate.call(async { Transaction::begin(leased(gate, conn).await?).await }).await
}

/// Runs statements in one transaction; how many rows each touched.
async fn execute_batch(gate: &Gate, conn: &str, statements: &[(&str, Option<&str>)]) -> Result<Vec<u64>, Error> {
    gate.call(async {
        let statements = batch::read_all(statements)?;
        batch::run(gate, &mut leased(gate, conn).await?, &statements).await
    })
    .await
}

/// Stores rows; the number of them.
async fn copy_from(
    gate: &Gate,
    conn: &str,
    (schema, table): (Option<&str>, &str),
    columns: Option<Vec<String>>,
    rows: Parts,
) -> Result<u64, Error> {
    gate.call(async { leased(gate, conn).await?.copy_from(Rows { schema, table, columns, rows }, gate).await }).await
}

/// The rows of a table, a view or a query.
async fn copy_to(gate: &Gate, conn: &str, schema: Option<&str>, query: &str) -> Result<Vec<Line>, Error> {
    gate.call(async { leased(gate, conn).await?.copy_to(schema, query, &mut gate.buffer()).await }).await
}

/// The databases of the server.
async fn list_databases(gate: &Gate, conn: &str) -> Result<Vec<String>, Error> {
    gate.call(async { leased(gate, conn).await?.databases(&mut gate.buffer()).await }).await
}

/// The schemas of the database.
async fn list_schemas(gate: &Gate, conn: &str, system: bool) -> Result<Vec<String>, Error> {
    gate.call(async { leased(gate, conn).await?.schemas(system, &mut gate.buffer()).await }).await
}

/// The tables and views of a schema, or of all but the system's.
async fn list_tables(gate: &Gate, conn: &str, schema: Option<&str>) -> Result<Vec<Table>, Error> {
    gate.call(async { leased(gate, conn).await?.tables(schema, &mut gate.buffer()).await }).await
}

/// The columns of a table.
async fn describe_table(gate: &Gate, conn: &str, schema: Option<&str>, table: &str) -> Result<Vec<Column>, Error> {
    gate.call(async { leased(gate, conn).await?.columns(schema, table, &mut gate.buffer()).await }).await
}

/// The indexes of a table.
async fn list_indexes(gate: &Gate, conn: &str, schema: Option<&str>, table: &str) -> Result<Vec<Index>, Error> {
    gate.call(async { leased(gate, conn).await?.indexes(schema, table, &mut gate.buffer()).await }).await
}

/// The constraints of a table.
async fn list_constraints(
    gate: &Gate,
    conn: &str,
    schema: Option<&str>,
    table: &str,
) -> Result<Vec<Constraint>, Error> {
    gate.call(async { leased(gate, conn).await?.constraints(schema, table, &mut gate.buffer()).await }).await
}

/// A connection with the secret of a name.
async fn leased(gate: &Gate, conn: &str) -> Result<Held<Lease>, Error> {
    let secret = gate.secret(conn).await?;
    database(gate, &secret)?.connection(gate).await
}

fn database(gate: &Gate, secret: &Secret) -> Result<Arc<Database>, Error> {
    let idle = gate.timeouts().idle;
    let database = gate.clients().sqldb.get(secret, idle, || Database::new(secret, gate.timeouts()))?;
    database.check_paths(secret)?;
    Ok(database)
}

/// Refuses what begins or ends a transaction. `place` is where the statement stands.
fn refuse_control(sql: &str, place: &str) -> Result<(), Error> {
    let words: Vec<_> = words::statement(sql).take(2).collect();
    let word = |at: usize| match words.get(at) {
        Some(words::Token::Word(word)) => word.to_ascii_lowercase(),
        _ => String::new(),
    };
    let controls = match word(0).as_str() {
        "begin" | "start" | "commit" | "end" | "abort" => true,
        "rollback" => !is_to_savepoint(sql),
        "prepare" => word(1) == "transaction",
        _ => false,
    };
    if !controls {
        return Ok(());
    }
    let given = word(0).to_ascii_uppercase();
    Err(Error::new(ErrorCode::QuerySyntax, format!("{given} can't stand {place}")))
}

/// Where statements of a transaction stand.
const IN_TRANSACTION: &str = "in a transaction of g.sqldb, which begins and ends it; SAVEPOINT can";

/// `ROLLBACK TO a`, `ROLLBACK WORK TO SAVEPOINT a`
fn is_to_savepoint(sql: &str) -> bool {
    let mut words = words::statement(sql).skip(1);
    words.any(|token| matches!(token, words::Token::Word(word) if word.eq_ignore_ascii_case("to")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_transaction_is_refused_in_one() {
        for sql in [
            "commit",
            "-- a\nBEGIN",
            "end;",
            ";commit",
            "; /* a */ ;rollback",
            "Rollback",
            "rollback and chain",
            "abort",
            "start transaction",
            "prepare transaction 'a'",
        ] {
            assert_eq!(refuse_control(sql, IN_TRANSACTION).unwrap_err().code, ErrorCode::QuerySyntax, "{sql}");
        }
        for sql in [
            "rollback to a",
            ";rollback to a",
            "ROLLBACK WORK TO SAVEPOINT a",
            "savepoint a",
            "release a",
            "prepare p as select 1",
            "select 'commit'",
        ] {
            assert!(refuse_control(sql, IN_TRANSACTION).is_ok(), "{sql}");
        }
    }
}
