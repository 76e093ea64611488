//! Prepared statements: what they take and give, and a few of them kept for the next call.

use tokio_postgres::{
    Client, Statement,
    types::{Kind, Type},
};

use super::{value, words};
use crate::{Error, ErrorCode};

/// How many statements a connection keeps.
const MOST: usize = 100;
/// A longer text is not worth its place.
const LONGEST: usize = 16 << 10;

/// A statement that the server knows.
#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) statement: Statement,
    pub(super) columns: Vec<Column>,
    /// The statement was rewritten: places in it are not those of the script's.
    pub(super) rewritten: bool,
}

/// A column of what a statement gives.
#[derive(Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) ty: Type,
}

impl Prepared {
    fn new(statement: Statement) -> Self {
        let column =
            |column: &tokio_postgres::Column| Column { name: column.name().into(), ty: column.type_().clone() };
        let columns = statement.columns().iter().map(column).collect();
        Self { statement, columns, rewritten: false }
    }
}

/// Prepares a statement. Columns of types that are not known here are given as text, by the server.
pub(super) async fn prepare(client: &Client, sql: &str) -> Result<Result<Prepared, Error>, tokio_postgres::Error> {
    let plain = Prepared::new(client.prepare(sql).await?);
    let Some(unknown) = plain.columns.iter().find(|column| !value::is_known(&column.ty)) else { return Ok(Ok(plain)) };
    if !can_be_wrapped(sql) {
        let (column, ty) = (value::shown(&unknown.name), unknown.ty.name());
        return Ok(Err(Error::new(
            ErrorCode::Data,
            format!("column {column} is of type {ty}, which such a statement can't give: cast it to text"),
        )));
    }
    let wrapped = Prepared::new(client.prepare(&as_text(sql, &plain.columns)).await?);
    let columns = plain.columns.iter().zip(wrapped.columns);
    let columns = columns.map(|(plain, wrapped)| Column { name: plain.name.clone(), ty: wrapped.ty }).collect();
    Ok(Ok(Prepared { statement: wrapped.statement, columns, rewritten: true }))
}

/// Whether a statement can stand in a `WITH`: one that has a `WITH` that changes something can't.
fn can_be_wrapped(sql: &str) -> bool {
    match words::first(sql).as_deref() {
        Some("select" | "insert" | "update" | "delete" | "values" | "table") => true,
        Some("with") => !words::has_word(sql, &["insert", "update", "delete", "merge"]),
        _ => false,
    }
}

/// The statement with what the server shows of a value in place of the value, where that is needed. A cast to text is
/// something else: of an `inet` it shows more.
fn as_text(sql: &str, columns: &[Column]) -> String {
    let names: Vec<_> = (1..=columns.len()).map(|at| format!("c{at}")).collect();
    let shown = |(name, column): (&String, &Column)| match column.ty.kind() {
        _ if value::is_known(&column.ty) => name.clone(),
        // Between boxes stands a semicolon, which no array of texts has.
        Kind::Array(item) if *item == Type::BOX => format!("{name}::pg_catalog.text[]"),
        Kind::Array(_) if !is_vector(&column.ty) => format!("{}::pg_catalog.text[]", output(name)),
        _ => output(name),
    };
    let shown: Vec<_> = names.iter().zip(columns).map(shown).collect();
    // The end of the line ends a comment.
    format!("WITH q({}) AS (\n{}\n) SELECT {} FROM q", names.join(", "), words::trimmed(sql), shown.join(", "))
}

/// The text of a value; NULL of NULL, but not of a row of them.
fn output(name: &str) -> String {
    format!("CASE WHEN {name} IS DISTINCT FROM NULL THEN pg_catalog.format('%s', {name}) END")
}

fn is_vector(ty: &Type) -> bool {
    matches!(*ty, Type::INT2_VECTOR | Type::OID_VECTOR)
}

/// The statements that a connection keeps; the one used last stands last.
#[derive(Default)]
pub(super) struct Statements(Vec<(String, Prepared)>);

impl Statements {
    pub(super) fn get(&mut self, sql: &str) -> Option<Prepared> {
        let place = self.0.iter().rposition(|(known, _)| known == sql)?;
        let entry = self.0.remove(place);
        let found = entry.1.clone();
        self.0.push(entry);
        Some(found)
    }

    pub(super) fn keep(&mut self, sql: &str, prepared: &Prepared) {
        if sql.len() > LONGEST {
            return;
        }
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((sql.to_owned(), prepared.clone()));
    }

    /// Forgets all: the server closes them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_stand_in_a_with_is_rewritten() {
        for sql in
            ["select 1", "(values (1))", "with a as (select 1) select * from a", "insert into a values (1) returning b"]
        {
            assert!(can_be_wrapped(sql), "{sql}");
        }
        for sql in ["fetch all from c", "with a as (delete from b returning *) select * from a", "execute p", "show x"]
        {
            assert!(!can_be_wrapped(sql), "{sql}");
        }
    }

    #[test]
    fn a_rewritten_statement_shows_the_columns_that_need_it() {
        let columns = [("a", Type::INT4), ("b", Type::INET), ("b", Type::INET_ARRAY), ("c", Type::BOX_ARRAY)];
        let columns = columns.map(|(name, ty)| Column { name: name.into(), ty });
        let shown = |name| format!("CASE WHEN {name} IS DISTINCT FROM NULL THEN pg_catalog.format('%s', {name}) END");
        assert_eq!(
            as_text("select a, b -- c\n; ", &columns),
            format!(
                "WITH q(c1, c2, c3, c4) AS (\nselect a, b\n) SELECT c1, {}, {}::pg_catalog.text[], c4::pg_catalog.text[] FROM q",
                shown("c2"),
                shown("c3"),
            )
        );
    }
}
