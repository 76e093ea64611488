//! Runs statements: describes those that are not in the cache, sends them, reads their answers.

use super::{
    connection::{Connection, OutcomeIfBroken},
    parameter::{Js, check_parameter_count, check_parameter_limit, parameters},
    rows::{ResultColumn, Writer},
    statement::Statement,
    value,
    wire::{Column, Description, Execution, Format, Type},
};
use crate::{Error, ErrorCode, gate::ByteCounter};

/// What a caller wants of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All rows, as JSON (the WIT type `sql-rows`).
    Rows,
    /// The first row, as JSON (the WIT type `sql-row`).
    Row,
    /// The first value of the first row, as JSON (the WIT type `sql-value`).
    Value,
    /// Only the number of rows.
    Count,
}

/// The result of a statement.
pub(super) struct Answer {
    /// The result as it is passed to the script; empty for [`Wanted::Count`].
    pub(super) json: String,
    pub(super) count: u64,
}

/// How a statement is sent.
struct Plan {
    /// The server's description of the statement, from this call or an earlier one.
    description: Description,
    /// Whether the server was asked in this call.
    is_fresh: bool,
    /// The parameter types sent with the statement; empty: the server chooses.
    types: Vec<u32>,
    /// The formats to request the columns in.
    formats: Vec<Format>,
}

impl Statement<'_> {
    /// If the connection breaks, an autocommitted statement may have taken effect, so the outcome is unknown.
    fn if_broken(&self) -> OutcomeIfBroken {
        if self.is_in_transaction() { OutcomeIfBroken::NoEffect } else { OutcomeIfBroken::Unknown }
    }
}

impl Connection {
    /// Runs a statement.
    pub(super) async fn run(
        &mut self,
        statement: &Statement<'_>,
        wanted: Wanted,
        counter: &mut ByteCounter,
    ) -> Result<Answer, Error> {
        self.possibly_prepares |= statement.text.possibly_prepares;
        let answer = match self.try_run(statement, wanted, counter, true).await {
            // The server refused the statement before it executed anything; the description may be out of date.
            Err(Failed::Stale(_)) => self.try_run(statement, wanted, counter, false).await,
            other => other,
        };
        if !statement.text.leaves_schema_unchanged() {
            // The statement may have changed tables to which the kept descriptions refer.
            self.descriptions.clear();
        }
        answer.map_err(|failed| match failed {
            Failed::Stale(error) | Failed::Otherwise(error) => error,
        })
    }

    async fn try_run(
        &mut self,
        statement: &Statement<'_>,
        wanted: Wanted,
        counter: &mut ByteCounter,
        may_use_cache: bool,
    ) -> Result<Answer, Failed> {
        let types_matter = statement.values.iter().any(Js::depends_on_type);
        let plan = self.plan(statement, wanted, types_matter, may_use_cache).await?;
        let types = match types_matter {
            true => self.types(&plan.types, statement).await?,
            // The text of each value is the same for every type.
            false => vec![Type::Other(0); statement.values.len()],
        };
        let values = parameters(&statement.values, &types)?;
        let sql = statement.sql();
        let execution = Execution { sql, types: &plan.types, values: &values, formats: &plan.formats };
        let begun =
            self.request(Some(&statement.text), statement.if_broken(), async |client| client.execute(&execution).await);
        let columns = match begun.await {
            Ok(columns) => columns,
            Err(error) => {
                // Whether the server refused the statement before it accepted the parameters: nothing was executed.
                let is_refused = !self.client.is_bound() && !self.client.is_running() && !self.client.is_closed();
                let is_stale = is_refused && !plan.is_fresh && !statement.is_in_transaction();
                return Err(if is_stale { Failed::Stale(error) } else { Failed::Otherwise(error) });
            }
        };
        let answer = self.read(statement, &plan, columns, wanted, counter).await;
        answer.map_err(Failed::Otherwise)
    }

    /// Returns how to send a statement, after asking the server where that is needed.
    async fn plan(
        &mut self,
        statement: &Statement<'_>,
        wanted: Wanted,
        types_matter: bool,
        may_use_cache: bool,
    ) -> Result<Plan, Error> {
        let (sql, values) = (statement.sql(), statement.values.len());
        if let Some(description) = self.descriptions.get(sql).filter(|_| may_use_cache) {
            let plan = self.plan_from(statement, description, wanted, types_matter, false).await?;
            // In a transaction, a failure caused by an outdated description would abort the transaction.
            let is_safe = !statement.is_in_transaction() || (!types_matter && plan.formats.len() <= 1);
            if is_safe && plan.description.parameters.len() == values {
                return Ok(plan);
            }
        }
        check_parameter_limit(values)?;
        let text = Some(&statement.text);
        let description =
            self.request(text, OutcomeIfBroken::NoEffect, async |client| client.describe(sql).await).await?;
        check_parameter_count(values, description.parameters.len())?;
        self.descriptions.keep(sql, &description);
        self.plan_from(statement, description, wanted, types_matter, true).await
    }

    /// Returns how to send a statement with this description.
    async fn plan_from(
        &mut self,
        statement: &Statement<'_>,
        description: Description,
        wanted: Wanted,
        types_matter: bool,
        is_fresh: bool,
    ) -> Result<Plan, Error> {
        let formats = match wanted {
            Wanted::Count => Vec::new(),
            _ => {
                let columns: Vec<_> = description.columns.iter().map(|column| column.oid).collect();
                let types = self.types(&columns, statement).await?;
                formats(&types, statement.is_in_transaction())
            }
        };
        let types = if types_matter { description.parameters.clone() } else { Vec::new() };
        Ok(Plan { description, is_fresh, types, formats })
    }

    async fn types(&mut self, oids: &[u32], statement: &Statement<'_>) -> Result<Vec<Type>, Error> {
        let text = Some(&statement.text);
        self.request(text, OutcomeIfBroken::NoEffect, async |client| client.types(oids).await).await
    }

    /// Reads the answer to a statement that has begun.
    async fn read(
        &mut self,
        statement: &Statement<'_>,
        plan: &Plan,
        columns: Vec<Column>,
        wanted: Wanted,
        counter: &mut ByteCounter,
    ) -> Result<Answer, Error> {
        let is_same = |(one, other): (&Column, &Column)| one.name == other.name && one.oid == other.oid;
        let known = &plan.description.columns;
        if known.len() != columns.len() || !known.iter().zip(&columns).all(is_same) {
            self.descriptions.forget(statement.sql());
        }
        // None when a column has another type than the plan requested: its values can't be read.
        let columns =
            columns.into_iter().map(|column| ResultColumn::of(&self.client, column)).collect::<Option<Vec<_>>>();
        let Some(columns) = columns.filter(|_| wanted != Wanted::Count) else {
            self.skip_rows(statement).await?;
            return match wanted {
                Wanted::Count => Ok(Answer { json: String::new(), count: self.client.affected() }),
                _ => Err(changed()),
            };
        };
        let mut writer = Writer::new(&columns, wanted);
        let (text, if_broken) = (Some(&statement.text), statement.if_broken());
        while let Some(row) =
            self.request(text, if_broken, async |client| client.row(Some(&mut *counter)).await).await?
        {
            writer.row(&row, counter)?;
            if writer.has_enough() {
                self.skip_rows(statement).await?;
                break;
            }
        }
        Ok(writer.finish(self.client.affected()))
    }

    /// Reads the answer to its end and drops its rows.
    async fn skip_rows(&mut self, statement: &Statement<'_>) -> Result<(), Error> {
        let text = Some(&statement.text);
        self.request(text, statement.if_broken(), async |client| client.pass_rows().await).await
    }
}

/// Returns the formats to request columns of these types in. The server refuses a list of several formats if the number of
/// columns has changed, so inside a transaction, request one format for all columns (an empty list means text) where possible.
fn formats(types: &[Type], in_transaction: bool) -> Vec<Format> {
    let mut formats: Vec<_> = types.iter().map(value::format).collect();
    if !in_transaction {
        return formats;
    }
    if formats.iter().all(|format| *format == Format::Text) {
        formats.clear();
    } else if formats.iter().all(|format| *format == Format::Binary) {
        formats.truncate(1);
    }
    formats
}

fn changed() -> Error {
    let message = "the statement was executed, but its result columns have changed since the last call, so its rows can't \
                   be read; a repeated call can read them";
    Error::new(ErrorCode::Data, message)
}

enum Failed {
    /// The description may be out of date, and nothing was executed.
    Stale(Error),
    Otherwise(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Otherwise(error)
    }
}
