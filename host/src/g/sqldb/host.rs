//! Serves `sqldb.wit`.

use std::sync::Arc;

use wasmtime::component::{Access, Accessor, HasSelf, Linker, Resource, StreamReader};

use super::{
    Answer, Column, Constraint, Database, Index, Rows, Sqldb, Table, TextRow, Transaction, Wanted, connection_string,
    on_connection,
};
use crate::{
    Error,
    bindings::ghost::g::sqldb::{
        self, SqlBatchResult, SqlBatchStatement, SqlColumnInfo, SqlConstraintInfo, SqlCopyFromOptions, SqlCopyResult,
        SqlCopyToOptions, SqlExecuteResult, SqlIndexInfo, SqlSchemaOptions, SqlTableInfo, SqlTableType,
        SqlTransactionProxy,
    },
    g::{External, Namespace, external::call},
    gate::{Arguments, Call},
    run::{Parts, State},
    secrets::Secret,
};

impl External for Sqldb {
    const NAMESPACE: Namespace = Namespace::Sqldb;
    type Pool = Database;

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        sqldb::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
    }

    fn fits(secret: &Secret) -> bool {
        connection_string::is_postgres_connection_string(secret.expose())
    }

    async fn connect(call: &Call<'_>, pool: Arc<Database>) -> Result<String, Error> {
        super::server(call, pool).await
    }
}

type Proxy = Resource<SqlTransactionProxy>;

/// The transaction behind a proxy, in the run's table of resources.
fn resource(proxy: &Proxy) -> Resource<Transaction> {
    Resource::new_own(proxy.rep())
}

type Statement = (String, String, Option<String>);

/// Runs one statement.
async fn run<T: Send>(
    accessor: &Accessor<T, HasSelf<State>>,
    statement: Statement,
    wanted: Wanted,
) -> Result<Answer, Error> {
    call(accessor, statement, async |call, (conn, sql, params)| {
        super::run(call, conn, sql, params.as_deref(), wanted).await
    })
    .await
}

/// Runs one statement in a transaction that the script holds.
async fn run_in<T: Send>(
    accessor: &Accessor<T, HasSelf<State>>,
    proxy: &Proxy,
    statement: (String, Option<String>),
    wanted: Wanted,
) -> Result<Answer, Error> {
    let transaction = transaction(accessor, proxy)?;
    call(accessor, statement, async |call, (sql, params)| transaction.run(call, sql, params.as_deref(), wanted).await)
        .await
}

fn transaction<T: Send>(accessor: &Accessor<T, HasSelf<State>>, proxy: &Proxy) -> Result<Transaction, Error> {
    let find = |mut access: Access<'_, T, HasSelf<State>>| access.get().resources().get(&resource(proxy)).cloned();
    accessor.with(find).map_err(Error::internal)
}

impl sqldb::Host for State {}

impl sqldb::HostSqlTransactionProxy for State {
    fn drop(&mut self, proxy: Proxy) -> wasmtime::Result<()> {
        self.resources().delete(resource(&proxy))?;
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
        Ok(run(accessor, (conn, sql, params), Wanted::Rows).await?.json)
    }

    async fn query_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(run(accessor, (conn, sql, params), Wanted::Row).await?.json)
    }

    async fn execute(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<SqlExecuteResult, Error> {
        Ok(SqlExecuteResult { rows_affected: run(accessor, (conn, sql, params), Wanted::Count).await?.count })
    }

    async fn scalar(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(run(accessor, (conn, sql, params), Wanted::Value).await?.json)
    }

    async fn execute_batch(
        accessor: &Accessor<T, Self>,
        conn: String,
        statements: Vec<SqlBatchStatement>,
    ) -> Result<SqlBatchResult, Error> {
        let counts = call(accessor, (conn, statements), async |call, (conn, statements)| {
            let statements: Vec<_> = statements.iter().map(|one| (one.sql.as_str(), one.params.as_deref())).collect();
            super::execute_batch(call, conn, &statements).await
        })
        .await?;
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
        let rows = Parts::of(accessor, rows)?;
        let rows_copied = call(accessor, (conn, table, options), async |call, (conn, table, options)| {
            let schema = options.as_ref().and_then(|options| options.schema.as_deref());
            let columns = options.as_ref().and_then(|options| options.columns.as_deref());
            let rows = Rows { schema, table, columns, rows };
            on_connection(call, conn, async |connection| connection.copy_from(rows, call).await).await
        })
        .await?;
        Ok(SqlCopyResult { rows_copied })
    }

    async fn copy_to(
        accessor: &Accessor<T, Self>,
        conn: String,
        query: String,
        options: Option<SqlCopyToOptions>,
    ) -> Result<Vec<TextRow>, Error> {
        call(accessor, (conn, query, options), async |call, (conn, query, options)| {
            let schema = options.as_ref().and_then(|options| options.schema.as_deref());
            let copy = async |connection: &mut super::Connection| {
                connection.copy_to(schema, query, &mut call.answer_counter()).await
            };
            on_connection(call, conn, copy).await
        })
        .await
    }

    async fn list_databases(accessor: &Accessor<T, Self>, conn: String) -> Result<Vec<String>, Error> {
        call(accessor, (conn,), async |call, (conn,)| {
            on_connection(call, conn, async |connection| connection.databases(&mut call.answer_counter()).await).await
        })
        .await
    }

    async fn list_schemas(
        accessor: &Accessor<T, Self>,
        conn: String,
        options: Option<SqlSchemaOptions>,
    ) -> Result<Vec<String>, Error> {
        let system = options.and_then(|options| options.include_system).unwrap_or(false);
        let list = async |call: &Call<'_>, (conn,): &(String,)| {
            on_connection(call, conn, async |connection| connection.schemas(system, &mut call.answer_counter()).await)
                .await
        };
        call(accessor, (conn,), list).await
    }

    async fn list_tables(
        accessor: &Accessor<T, Self>,
        conn: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlTableInfo>, Error> {
        let tables = call(accessor, (conn, schema), async |call, (conn, schema)| {
            on_connection(call, conn, async |connection| {
                connection.tables(schema.as_deref(), &mut call.answer_counter()).await
            })
            .await
        })
        .await?;
        Ok(tables.into_iter().map(SqlTableInfo::from).collect())
    }

    async fn describe_table(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlColumnInfo>, Error> {
        let columns = call(accessor, (conn, table, schema), async |call, (conn, table, schema)| {
            on_connection(call, conn, async |connection| {
                connection.columns(schema.as_deref(), table, &mut call.answer_counter()).await
            })
            .await
        })
        .await?;
        Ok(columns.into_iter().map(SqlColumnInfo::from).collect())
    }

    async fn list_indexes(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlIndexInfo>, Error> {
        let indexes = call(accessor, (conn, table, schema), async |call, (conn, table, schema)| {
            on_connection(call, conn, async |connection| {
                connection.indexes(schema.as_deref(), table, &mut call.answer_counter()).await
            })
            .await
        })
        .await?;
        Ok(indexes.into_iter().map(SqlIndexInfo::from).collect())
    }

    async fn list_constraints(
        accessor: &Accessor<T, Self>,
        conn: String,
        table: String,
        schema: Option<String>,
    ) -> Result<Vec<SqlConstraintInfo>, Error> {
        let constraints = call(accessor, (conn, table, schema), async |call, (conn, table, schema)| {
            on_connection(call, conn, async |connection| {
                connection.constraints(schema.as_deref(), table, &mut call.answer_counter()).await
            })
            .await
        })
        .await?;
        Ok(constraints.into_iter().map(SqlConstraintInfo::from).collect())
    }

    async fn transaction(accessor: &Accessor<T, Self>, conn: String) -> Result<Proxy, Error> {
        let begun = call(accessor, (conn,), async |call, (conn,)| super::begin(call, conn).await).await?;
        let begun = accessor.with(|mut access| access.get().resources().push(begun)).map_err(Error::internal)?;
        Ok(Proxy::new_own(begun.rep()))
    }
}

impl<T: Send> sqldb::HostSqlTransactionProxyWithStore<T> for HasSelf<State> {
    async fn query(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(run_in(accessor, &proxy, (sql, params), Wanted::Rows).await?.json)
    }

    async fn query_one(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(run_in(accessor, &proxy, (sql, params), Wanted::Row).await?.json)
    }

    async fn execute(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<SqlExecuteResult, Error> {
        Ok(SqlExecuteResult { rows_affected: run_in(accessor, &proxy, (sql, params), Wanted::Count).await?.count })
    }

    async fn scalar(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(run_in(accessor, &proxy, (sql, params), Wanted::Value).await?.json)
    }

    async fn commit(accessor: &Accessor<T, Self>, proxy: Proxy) -> Result<(), Error> {
        let transaction = transaction(accessor, &proxy)?;
        call(accessor, (), async |_, ()| transaction.commit().await).await
    }

    async fn rollback(accessor: &Accessor<T, Self>, proxy: Proxy) -> Result<(), Error> {
        let transaction = transaction(accessor, &proxy)?;
        call(accessor, (), async |_, ()| transaction.rollback().await).await
    }
}

impl Arguments for SqlBatchStatement {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { sql, params } = self;
        (sql, params).visit(visitor);
    }
}

impl Arguments for SqlCopyFromOptions {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { columns, schema } = self;
        (columns, schema).visit(visitor);
    }
}

impl Arguments for SqlCopyToOptions {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { schema } = self;
        schema.visit(visitor);
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
