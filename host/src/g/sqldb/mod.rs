//! An external PostgreSQL database. The contract stands in `sqldb.wit`.

mod address;
mod batch;
mod catalog;
mod connection;
mod connection_string;
mod copy;
mod failure;
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
use connection::{Database, Lease};
use copy::{Line, Rows};
use parameter::read;
use rows::{Answer, Query, Wanted};
// The bindings name it, and theirs are public.
pub use transaction::Transaction;

use super::External;
use crate::{
    Error, ErrorCode,
    gate::{Call, CleanupGuard},
    secrets::Secret,
};

/// What ghost knows of this namespace beside its methods.
pub(crate) const EXTERNAL: External =
    External { interface: "sqldb", fits: |secret| connection_string::is_one(secret.expose()), connect };

fn connect<'a>(
    call: &'a Call<'a>,
    secret: &'a Secret,
) -> Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>> {
    Box::pin(async move {
        let mut connection = database(call, secret)?.connection(call).await?;
        let sql = "SELECT 'PostgreSQL ' || pg_catalog.current_setting('server_version')";
        let query = Query { sql, values: &[], in_transaction: false };
        let answer = connection.run(&query, Wanted::Value, &mut call.buffer()).await?;
        let answer: serde_json::Value = serde_json::from_str(&answer.json).map_err(Error::internal)?;
        Ok(answer["value"].as_str().unwrap_or_default().to_owned())
    })
}

/// Runs one statement.
async fn run(call: &Call<'_>, conn: &str, sql: &str, params: Option<&str>, wanted: Wanted) -> Result<Answer, Error> {
    let values = params.map_or(Ok(Vec::new()), |params| read("params", params))?;
    refuse_control(sql, "outside of g.sqldb.transaction, where each call is a transaction of its own")?;
    let mut connection = leased(call, conn).await?;
    let query = Query { sql, values: &values, in_transaction: false };
    connection.run(&query, wanted, &mut call.buffer()).await
}

/// Runs statements in one transaction; how many rows each touched.
async fn execute_batch(call: &Call<'_>, conn: &str, statements: &[(&str, Option<&str>)]) -> Result<Vec<u64>, Error> {
    let statements = batch::read_all(statements)?;
    batch::run(call, &mut leased(call, conn).await?, &statements).await
}

/// A connection with the secret of a name.
async fn leased(call: &Call<'_>, conn: &str) -> Result<CleanupGuard<Lease>, Error> {
    let secret = call.secret(conn).await?;
    database(call, &secret)?.connection(call).await
}

fn database(call: &Call<'_>, secret: &Secret) -> Result<Arc<Database>, Error> {
    let database = call.pool(secret, || Database::new(secret, call.timeouts()))?;
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
    Err(Error::new(ErrorCode::QuerySyntax, format!("{given} is not allowed {place}")))
}

/// Where statements of a transaction stand.
const IN_TRANSACTION: &str =
    "in a callback of g.sqldb.transaction, which begins and ends the transaction; SAVEPOINT is allowed";

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
