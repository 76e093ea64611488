//! Serves `sqldb.wit`.

use wasmtime::component::{Access, Accessor, HasSelf, Resource, StreamReader};

use super::{Column, Constraint, Index, Line, Table, Transaction, Wanted};
use crate::{
    Error,
    bindings::ghost::g::sqldb::{
        self, SqlBatchResult, SqlBatchStatement, SqlColumnInfo, SqlConstraintInfo, SqlCopyFromOptions, SqlCopyResult,
        SqlCopyToOptions, SqlExecuteResult, SqlIndexInfo, SqlSchemaOptions, SqlTableInfo, SqlTableType,
    },
    gate::Gate,
    run::{Parts, State},
};

type Proxy = Resource<Transaction>;

/// The gate for a call with these arguments.
fn gate<T: Send>(accessor: &Accessor<T, HasSelf<State>>, given: &[&str]) -> Result<Gate, Error> {
    let gate = accessor.with(|mut access| access.get().gate());
    gate.given(given.iter().map(|text| text.len()).sum())
}

fn text(given: &Option<String>) -> &str {
    given.as_deref().unwrap_or_default()
}

/// A transaction that the script holds, for one call.
fn transaction<T: Send>(
    accessor: &Accessor<T, HasSelf<State>>,
    proxy: &Proxy,
    given: &[&str],
) -> Result<(Gate, Transaction), Error> {
    let find = |mut access: Access<'_, T, HasSelf<State>>| access.get().resources().get(proxy).cloned();
    let transaction = accessor.with(find).map_err(Error::internal)?;
    Ok((gate(accessor, given)?, transaction))
}

impl sqldb::Host for State {}

impl sqldb::HostSqlTransactionProxy for State {
    fn drop(&mut self, proxy: Proxy) -> wasmtime::Result<()> {
        self.resources().delete(proxy)?;
        Ok(())
    }
}

impl<T: Send> sqldb::HostWithStore<T> for HasSelf<State> {
    async fn query(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(super::run(&gate(accessor, &[&conn, &sql, text(&params)])?, &conn, &sql, params.as_deref(), Wanted::Rows)
            .await?
            .json)
    }

    async fn query_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(super::run(&gate(accessor, &[&conn, &sql, text(&params)])?, &conn, &sql, params.as_deref(), Wanted::Row)
            .await?
            .json)
    }

    async fn execute(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<SqlExecuteResult, Error> {
        let answer =
            super::run(&gate(accessor, &[&conn, &sql, text(&params)])?, &conn, &sql, params.as_deref(), Wanted::Count)
                .await?;
        Ok(SqlExecuteResult { rows_affected: answer.count })
    }

    async fn scalar(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(super::run(&gate(accessor, &[&conn, &sql, text(&params)])?, &conn, &sql, params.as_deref(), Wanted::Value)
            .await?
            .json)
    }

    async fn execute_batch(
        accessor: &Accessor<T, Self>,
        conn: String,
        statements: Vec<SqlBatchStatement>,
    ) -> Result<SqlBatchResult, Error> {
        let statements: Vec<_> = statements.iter().map(|one| (one.sql.as_str(), one.params.as_deref())).collect();
        let given: Vec<_> = statements.iter().flat_map(|(sql, params)| [*sql, params.unwrap_or_default()]).collect();
        let counts = super::execute_batch(&gate(accessor, &given)?, &conn, &statements).await?;
        let results = counts.into_iter().map(|rows_affected| SqlExecuteResult { rows_affected }).collect();
        Ok(SqlBatchResult { results })
    }

    async fn copy_from(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        rows: StreamReader<String>,
        options: Option<SqlCopyFromOptions>,
    ) -> Result<SqlCopyResult, Error> {
        let SqlCopyFromOptions { columns, schema } =
            options.unwrap_or(SqlCopyFromOptions { columns: None, schema: None });
        let target = (schema.as_deref(), table.as_str());
        let rows = Parts::of(accessor, rows)?;
        let mut given = vec![conn.as_str(), &table, text(&schema)];
        given.extend(columns.iter().flatten().map(String::as_str));
        let gate = gate(accessor, &given)?;
        let rows_copied = super::copy_from(&gate, &conn, target, columns, rows).await?;
        Ok(SqlCopyResult { rows_copied })
    }

    async fn copy_to(
        accessor: &Accessor<T, Self>,
        conn: String,
        query: String,
        options: Option<SqlCopyToOptions>,
    ) -> Result<Vec<Line>, Error> {
        let schema = options.and_then(|options| options.schema);
        super::copy_to(&gate(accessor, &[&conn, &query, text(&schema)])?, &conn, schema.as_deref(), &query).await
    }

    async fn list_databases(accessor: &Accessor<T, Self>, conn: String) -> Result<Vec<String>, Error> {
        super::list_databases(&gate(accessor, &[&conn])?, &conn).await
    }

    async fn list_schemas(
        accessor: &Accessor<T, Self>,
        conn: String,
        options: Option<SqlSchemaOptions>,
    ) -> Result<Vec<String>, Error> {
        let system = options.and_then(|options| options.include_system).unwrap_or(false);
        super::list_schemas(&gate(accessor, &[&conn])?, &conn, system).await
    }

    async fn list_tables(
        accessor: &Accessor<T, Self>,
        conn: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlTableInfo>, Error> {
        let tables = super::list_tables(&gate(accessor, &[&conn, text(&schema)])?, &conn, schema.as_deref()).await?;
        Ok(tables.into_iter().map(SqlTableInfo::from).collect())
    }

    async fn describe_table(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlColumnInfo>, Error> {
        let columns =
            super::describe_table(&gate(accessor, &[&conn, &table, text(&schema)])?, &conn, schema.as_deref(), &table)
                .await?;
        Ok(columns.into_iter().map(SqlColumnInfo::from).collect())
    }

    async fn list_indexes(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlIndexInfo>, Error> {
        let indexes =
            super::list_indexes(&gate(accessor, &[&conn, &table, text(&schema)])?, &conn, schema.as_deref(), &table)
                .await?;
        Ok(indexes.into_iter().map(SqlIndexInfo::from).collect())
    }

    async fn list_constraints(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlConstraintInfo>, Error> {
        let constraints = super::list_constraints(
            &gate(accessor, &[&conn, &table, text(&schema)])?,
            &conn,
            schema.as_deref(),
            &table,
        )
        .await?;
        Ok(constraints.into_iter().map(SqlConstraintInfo::from).collect())
    }

    async fn transaction(accessor: &Accessor<T, Self>, conn: String) -> Result<Proxy, Error> {
        let begun = super::begin(&gate(accessor, &[&conn])?, &conn).await?;
        accessor.with(|mut access| access.get().resources().push(begun)).map_err(Error::internal)
    }
}

impl<T: Send> sqldb::HostSqlTransactionProxyWithStore<T> for HasSelf<State> {
    async fn query(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        let (gate, transaction) = transaction(accessor, &proxy, &[&sql, text(&params)])?;
        Ok(transaction.run(&gate, &sql, params.as_deref(), Wanted::Rows).await?.json)
    }

    async fn query_one(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        let (gate, transaction) = transaction(accessor, &proxy, &[&sql, text(&params)])?;
        Ok(transaction.run(&gate, &sql, params.as_deref(), Wanted::Row).await?.json)
    }

    async fn execute(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<SqlExecuteResult, Error> {
        let (gate, transaction) = transaction(accessor, &proxy, &[&sql, text(&params)])?;
        let answer = transaction.run(&gate, &sql, params.as_deref(), Wanted::Count).await?;
        Ok(SqlExecuteResult { rows_affected: answer.count })
    }

    async fn scalar(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        let (gate, transaction) = transaction(accessor, &proxy, &[&sql, text(&params)])?;
        Ok(transaction.run(&gate, &sql, params.as_deref(), Wanted::Value).await?.json)
    }

    async fn commit(accessor: &Accessor<T, Self>, proxy: Proxy) -> Result<(), Error> {
        let (gate, transaction) = transaction(accessor, &proxy, &[])?;
        transaction.commit(&gate).await
    }

    async fn rollback(accessor: &Accessor<T, Self>, proxy: Proxy) -> Result<(), Error> {
        let (gate, transaction) = transaction(accessor, &proxy, &[])?;
        transaction.rollback(&gate).await
    }
}

impl From<Table> for SqlTableInfo {
    fn from(table: Table) -> Self {
        let type_ = if table.is_view { SqlTableType::View } else { SqlTableType::Table };
        Self { name: table.name, schema: table.schema, type_, estimated_rows: table.estimated_rows }
    }
}

impl From<Column> for SqlColumnInfo {
    fn from(column: Column) -> Self {
        Self {
            name: column.name,
            type_: column.ty,
            nullable: column.nullable,
            default_value: column.default,
            is_primary_key: column.is_primary_key,
            max_length: column.max_length.and_then(|length| length.try_into().ok()),
        }
    }
}

impl From<Index> for SqlIndexInfo {
    fn from(index: Index) -> Self {
        Self {
            name: index.name,
            columns: index.columns,
            is_unique: index.is_unique,
            is_primary: index.is_primary,
            definition: index.definition,
        }
    }
}

impl From<Constraint> for SqlConstraintInfo {
    fn from(constraint: Constraint) -> Self {
        let Constraint { name, ty, columns, definition } = constraint;
        Self { name, type_: ty, columns, definition }
    }
}
