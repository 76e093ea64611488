//! Serves `sqldb.wit`.

use wasmtime::component::{Accessor, HasSelf, Resource};

use super::{Transaction, Wanted};
use crate::{
    Error,
    bindings::ghost::g::sqldb::{self, SqlExecuteResult},
    gate::Gate,
    run::State,
};

type Proxy = Resource<Transaction>;

fn gate<T: Send>(accessor: &Accessor<T, HasSelf<State>>) -> Gate {
    accessor.with(|mut access| access.get().gate())
}

/// A transaction that the script holds, for one call.
fn transaction<T: Send>(accessor: &Accessor<T, HasSelf<State>>, proxy: &Proxy) -> Result<(Gate, Transaction), Error> {
    accessor.with(|mut access| {
        let state = access.get();
        let transaction = state.resources().get(proxy).map_err(Error::internal)?.clone();
        Ok((state.gate(), transaction))
    })
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
        Ok(super::run(&gate(accessor), &conn, &sql, params.as_deref(), Wanted::Rows).await?.json)
    }

    async fn query_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(super::run(&gate(accessor), &conn, &sql, params.as_deref(), Wanted::Row).await?.json)
    }

    async fn execute(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<SqlExecuteResult, Error> {
        let answer = super::run(&gate(accessor), &conn, &sql, params.as_deref(), Wanted::Count).await?;
        Ok(SqlExecuteResult { rows_affected: answer.count })
    }

    async fn scalar(
        accessor: &Accessor<T, Self>,
        conn: String,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        Ok(super::run(&gate(accessor), &conn, &sql, params.as_deref(), Wanted::Value).await?.json)
    }

    async fn transaction(accessor: &Accessor<T, Self>, conn: String) -> Result<Proxy, Error> {
        let begun = super::begin(&gate(accessor), &conn).await?;
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
        let (gate, transaction) = transaction(accessor, &proxy)?;
        Ok(transaction.run(&gate, &sql, params.as_deref(), Wanted::Rows).await?.json)
    }

    async fn query_one(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        let (gate, transaction) = transaction(accessor, &proxy)?;
        Ok(transaction.run(&gate, &sql, params.as_deref(), Wanted::Row).await?.json)
    }

    async fn execute(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<SqlExecuteResult, Error> {
        let (gate, transaction) = transaction(accessor, &proxy)?;
        let answer = transaction.run(&gate, &sql, params.as_deref(), Wanted::Count).await?;
        Ok(SqlExecuteResult { rows_affected: answer.count })
    }

    async fn scalar(
        accessor: &Accessor<T, Self>,
        proxy: Proxy,
        sql: String,
        params: Option<String>,
    ) -> Result<String, Error> {
        let (gate, transaction) = transaction(accessor, &proxy)?;
        Ok(transaction.run(&gate, &sql, params.as_deref(), Wanted::Value).await?.json)
    }

    async fn commit(accessor: &Accessor<T, Self>, proxy: Proxy) -> Result<(), Error> {
        let (gate, transaction) = transaction(accessor, &proxy)?;
        transaction.commit(&gate).await
    }

    async fn rollback(accessor: &Accessor<T, Self>, proxy: Proxy) -> Result<(), Error> {
        let (gate, transaction) = transaction(accessor, &proxy)?;
        transaction.rollback(&gate).await
    }
}
