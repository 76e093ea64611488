//! Serves `clustersearch.wit`.

use std::sync::Arc;

use wasmtime::component::{Accessor, HasSelf, Linker};

use super::{Cluster, Clustersearch, Info, Target, bulk, config};
use crate::{
    Error,
    bindings::ghost::g::clustersearch::{
        self, ClusterBulkError, ClusterBulkResult, ClusterInfoResult, ClusterWriteOptions,
    },
    g::{External, Namespace, external::call},
    gate::{Arguments, Call},
    run::State,
    secrets::Secret,
};

impl External for Clustersearch {
    const NAMESPACE: Namespace = Namespace::Clustersearch;
    type Pool = Cluster;

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        clustersearch::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
    }

    fn fits(secret: &Secret) -> bool {
        config::is_cluster_secret(secret.expose())
    }

    async fn connect(call: &Call<'_>, pool: Arc<Cluster>) -> Result<String, Error> {
        super::describe(call, pool).await
    }
}

impl clustersearch::Host for State {}

impl<T: Send> clustersearch::HostWithStore<T> for HasSelf<State> {
    async fn ping(accessor: &Accessor<T, Self>, conn: String) -> Result<bool, Error> {
        call(accessor, (conn,), async |call, (conn,)| super::ping(call, conn).await).await
    }

    async fn info(accessor: &Accessor<T, Self>, conn: String) -> Result<ClusterInfoResult, Error> {
        let info = async |call: &Call<'_>, (conn,): &(String,)| {
            super::info(call, &*call.pool_of::<Cluster>(conn).await?).await
        };
        Ok(call(accessor, (conn,), info).await?.into())
    }

    async fn create_index(
        accessor: &Accessor<T, Self>,
        conn: String,
        index_name: String,
        mapping_json: Option<String>,
    ) -> Result<bool, Error> {
        call(accessor, (conn, index_name, mapping_json), async |call, (conn, name, mapping)| {
            super::create_index(call, conn, name, mapping.as_deref()).await
        })
        .await
    }

    async fn delete_index(accessor: &Accessor<T, Self>, conn: String, index_name: String) -> Result<bool, Error> {
        call(accessor, (conn, index_name), async |call, (conn, name)| super::delete_index(call, conn, name).await).await
    }

    async fn index(
        accessor: &Accessor<T, Self>,
        conn: String,
        index_name: String,
        id: String,
        document: String,
        options: Option<ClusterWriteOptions>,
    ) -> Result<bool, Error> {
        let arguments = ((conn, index_name, id), document, options);
        call(accessor, arguments, async |call, ((conn, name, id), document, options)| {
            super::index(call, conn, target(name, options.as_ref()), id, document).await
        })
        .await?;
        Ok(true)
    }

    async fn get(
        accessor: &Accessor<T, Self>,
        conn: String,
        index_name: String,
        id: String,
    ) -> Result<Option<String>, Error> {
        call(accessor, (conn, index_name, id), async |call, (conn, name, id)| super::get(call, conn, name, id).await)
            .await
    }

    async fn bulk(
        accessor: &Accessor<T, Self>,
        conn: String,
        index_name: String,
        documents: String,
        chunk_size: Option<u32>,
        options: Option<ClusterWriteOptions>,
    ) -> Result<ClusterBulkResult, Error> {
        let arguments = ((conn, index_name), documents, options);
        let outcome = call(accessor, arguments, async |call, ((conn, name), documents, options)| {
            super::bulk(call, conn, target(name, options.as_ref()), documents, chunk_size).await
        })
        .await?;
        Ok(outcome.into())
    }

    async fn search(
        accessor: &Accessor<T, Self>,
        conn: String,
        index_name: String,
        query_dsl: String,
    ) -> Result<String, Error> {
        call(accessor, (conn, index_name, query_dsl), async |call, (conn, name, query)| {
            super::search(call, conn, name, query).await
        })
        .await
    }
}

fn target<'a>(index: &'a str, options: Option<&'a ClusterWriteOptions>) -> Target<'a> {
    Target { index, refresh: options.and_then(|options| options.refresh.as_deref()) }
}

impl Arguments for ClusterWriteOptions {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { refresh } = self;
        refresh.visit(visitor);
    }
}

impl From<Info> for ClusterInfoResult {
    fn from(info: Info) -> Self {
        let Info { name, cluster_name, cluster_uuid, version, tagline } = info;
        Self { name, cluster_name, cluster_uuid, version: version.number, tagline }
    }
}

impl From<bulk::Outcome> for ClusterBulkResult {
    fn from(outcome: bulk::Outcome) -> Self {
        let (total, successful, failed) = (outcome.total, outcome.successful, outcome.failed());
        let errors = outcome.into_errors().into_iter().map(ClusterBulkError::from).collect();
        Self { total, successful, failed, errors }
    }
}

impl From<bulk::Refused> for ClusterBulkError {
    fn from(one: bulk::Refused) -> Self {
        Self { position: one.position as u64, id: one.id, status: one.status.into(), reason: one.reason }
    }
}
