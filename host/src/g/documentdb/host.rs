//! Serves `documentdb.wit`.

use std::sync::Arc;

use wasmtime::component::{Accessor, HasSelf, Linker};

use super::{
    ClientPool, Documentdb, Find, Place,
    bulk::{self, Kind, Operation},
    config,
    write::{self, Which},
};
use crate::{
    Error,
    bindings::ghost::g::documentdb::{
        self, DocBulkOperation, DocBulkOperationType, DocBulkWriteResult, DocDeleteResult, DocFindOptions,
        DocIndexOptions, DocInsertManyResult, DocInsertResult, DocUpdateResult,
    },
    g::{External, Namespace, external::call},
    gate::{Arguments, Call},
    run::State,
    secrets::Secret,
};

impl External for Documentdb {
    const NAMESPACE: Namespace = Namespace::Documentdb;
    type Pool = ClientPool;

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        documentdb::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
    }

    fn fits(secret: &Secret) -> bool {
        config::is_mongodb_uri(secret.expose().trim_start())
    }

    async fn connect(_: &Call<'_>, pool: Arc<ClientPool>) -> Result<String, Error> {
        super::describe(pool).await
    }
}

/// The connection, the database and the collection that a script names.
struct Names(String, String, String);

impl Names {
    fn place(&self) -> Place<'_> {
        Place { conn: &self.0, db: &self.1, collection: &self.2 }
    }
}

impl Arguments for Names {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self(conn, db, collection) = self;
        (conn, db, collection).visit(visitor);
    }
}

impl documentdb::Host for State {}

impl<T: Send> documentdb::HostWithStore<T> for HasSelf<State> {
    async fn find(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: Option<String>,
        options: Option<DocFindOptions>,
    ) -> Result<String, Error> {
        let arguments = (Names(conn, db, collection), filter, options);
        call(accessor, arguments, async |call, (names, filter, options)| {
            let find = options.as_ref().map(Find::from).unwrap_or_default();
            super::find(call, names.place(), filter.as_deref(), find).await
        })
        .await
    }

    async fn find_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: Option<String>,
    ) -> Result<String, Error> {
        call(accessor, (Names(conn, db, collection), filter), async |call, (names, filter)| {
            super::find_one(call, names.place(), filter.as_deref()).await
        })
        .await
    }

    async fn insert_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        document: String,
    ) -> Result<DocInsertResult, Error> {
        let inserted = call(accessor, (Names(conn, db, collection), document), async |call, (names, document)| {
            write::insert_one(call, names.place(), document).await
        });
        Ok(DocInsertResult { inserted_id: inserted.await? })
    }

    async fn insert_many(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        documents: String,
    ) -> Result<DocInsertManyResult, Error> {
        let inserted = call(accessor, (Names(conn, db, collection), documents), async |call, (names, documents)| {
            write::insert_many(call, names.place(), documents).await
        });
        let inserted_ids = inserted.await?;
        Ok(DocInsertManyResult { inserted_count: inserted_ids.len() as u64, inserted_ids })
    }

    async fn update_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: String,
        update: String,
    ) -> Result<DocUpdateResult, Error> {
        let arguments = (Names(conn, db, collection), filter, update);
        call(accessor, arguments, async |call, (names, filter, update)| {
            write::update(call, names.place(), Which::First, filter, update).await
        })
        .await
        .map(DocUpdateResult::from)
    }

    async fn update_many(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: String,
        update: String,
    ) -> Result<DocUpdateResult, Error> {
        let arguments = (Names(conn, db, collection), filter, update);
        call(accessor, arguments, async |call, (names, filter, update)| {
            write::update(call, names.place(), Which::All, filter, update).await
        })
        .await
        .map(DocUpdateResult::from)
    }

    async fn delete_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: String,
    ) -> Result<DocDeleteResult, Error> {
        let deleted = call(accessor, (Names(conn, db, collection), filter), async |call, (names, filter)| {
            write::delete(call, names.place(), Which::First, filter).await
        });
        Ok(DocDeleteResult { deleted_count: deleted.await? })
    }

    async fn delete_many(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: String,
    ) -> Result<DocDeleteResult, Error> {
        let deleted = call(accessor, (Names(conn, db, collection), filter), async |call, (names, filter)| {
            write::delete(call, names.place(), Which::All, filter).await
        });
        Ok(DocDeleteResult { deleted_count: deleted.await? })
    }

    async fn replace_one(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: String,
        replacement: String,
    ) -> Result<DocUpdateResult, Error> {
        let arguments = (Names(conn, db, collection), filter, replacement);
        call(accessor, arguments, async |call, (names, filter, replacement)| {
            write::replace(call, names.place(), filter, replacement).await
        })
        .await
        .map(DocUpdateResult::from)
    }

    async fn count_documents(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        filter: Option<String>,
    ) -> Result<u64, Error> {
        call(accessor, (Names(conn, db, collection), filter), async |call, (names, filter)| {
            super::count(call, names.place(), filter.as_deref()).await
        })
        .await
    }

    async fn list_databases(accessor: &Accessor<T, Self>, conn: String) -> Result<Vec<String>, Error> {
        call(accessor, (conn,), async |call, (conn,)| super::list_databases(call, conn).await).await
    }

    async fn list_collections(accessor: &Accessor<T, Self>, conn: String, db: String) -> Result<Vec<String>, Error> {
        call(accessor, (conn, db), async |call, (conn, db)| super::list_collections(call, conn, db).await).await
    }

    async fn aggregate(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        pipeline: String,
    ) -> Result<String, Error> {
        call(accessor, (Names(conn, db, collection), pipeline), async |call, (names, pipeline)| {
            super::aggregate(call, names.place(), pipeline).await
        })
        .await
    }

    async fn create_index(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        keys: String,
        options: Option<DocIndexOptions>,
    ) -> Result<String, Error> {
        call(accessor, (Names(conn, db, collection), keys, options), async |call, (names, keys, options)| {
            let unique = options.as_ref().and_then(|options| options.unique);
            let name = options.as_ref().and_then(|options| options.name.as_deref());
            super::create_index(call, names.place(), keys, unique, name).await
        })
        .await
    }

    async fn drop_collection(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
    ) -> Result<(), Error> {
        call(accessor, Names(conn, db, collection), async |call, names| {
            super::drop_collection(call, names.place()).await
        })
        .await
    }

    async fn distinct(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        field_name: String,
        filter: Option<String>,
    ) -> Result<String, Error> {
        let arguments = (Names(conn, db, collection), field_name, filter);
        call(accessor, arguments, async |call, (names, field, filter)| {
            super::distinct(call, names.place(), field, filter.as_deref()).await
        })
        .await
    }

    async fn bulk_write(
        accessor: &Accessor<T, Self>,
        conn: String,
        db: String,
        collection: String,
        operations: Vec<DocBulkOperation>,
    ) -> Result<DocBulkWriteResult, Error> {
        let arguments = (Names(conn, db, collection), operations);
        call(accessor, arguments, async |call, (names, operations)| {
            let operations: Vec<_> = operations.iter().map(Operation::from).collect();
            bulk::run(call, names.place(), &operations).await
        })
        .await
        .map(DocBulkWriteResult::from)
    }
}

impl Arguments for DocFindOptions {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { sort, limit: _, skip: _, projection } = self;
        (sort, projection).visit(visitor);
    }
}

impl Arguments for DocIndexOptions {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { unique: _, name } = self;
        name.visit(visitor);
    }
}

impl Arguments for DocBulkOperation {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        let Self { type_: _, filter, document, update, replacement } = self;
        (filter, document).visit(visitor);
        (update, replacement).visit(visitor);
    }
}

impl<'a> From<&'a DocFindOptions> for Find<'a> {
    fn from(options: &'a DocFindOptions) -> Self {
        let DocFindOptions { sort, limit, skip, projection } = options;
        Self {
            sort: sort.as_deref(),
            limit: limit.unwrap_or(0),
            skip: skip.unwrap_or(0),
            projection: projection.as_deref(),
        }
    }
}

impl<'a> From<&'a DocBulkOperation> for Operation<'a> {
    fn from(operation: &'a DocBulkOperation) -> Self {
        let kind = match operation.type_ {
            DocBulkOperationType::InsertOne => Kind::InsertOne,
            DocBulkOperationType::UpdateOne => Kind::UpdateOne,
            DocBulkOperationType::UpdateMany => Kind::UpdateMany,
            DocBulkOperationType::DeleteOne => Kind::DeleteOne,
            DocBulkOperationType::DeleteMany => Kind::DeleteMany,
            DocBulkOperationType::ReplaceOne => Kind::ReplaceOne,
        };
        let DocBulkOperation { type_: _, filter, document, update, replacement } = operation;
        Self {
            kind,
            filter: filter.as_deref(),
            document: document.as_deref(),
            update: update.as_deref(),
            replacement: replacement.as_deref(),
        }
    }
}

impl From<write::Updated> for DocUpdateResult {
    fn from((matched_count, modified_count): write::Updated) -> Self {
        Self { matched_count, modified_count }
    }
}

impl From<bulk::Counts> for DocBulkWriteResult {
    fn from(counts: bulk::Counts) -> Self {
        let bulk::Counts { inserted, matched, modified, deleted } = counts;
        Self { inserted_count: inserted, matched_count: matched, modified_count: modified, deleted_count: deleted }
    }
}
