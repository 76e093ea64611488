//! Serves `objectstore.wit`.

use std::sync::Arc;

use bytes::Bytes;
use wasmtime::component::{Accessor, HasSelf, Linker};

use super::{Objectstore, bucket, list, secret, store::Store};
use crate::{
    Error,
    bindings::ghost::g::objectstore::{
        self, ObjectBucketInfo, ObjectInfo, ObjectListOptions, ObjectPresignedUrlOptions,
    },
    g::{External, Namespace, external::call},
    gate::{Arguments, Call},
    run::{Files, State},
    secrets::Secret,
};

impl External for Objectstore {
    const NAMESPACE: Namespace = Namespace::Objectstore;
    type Pool = Store;

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        objectstore::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
    }

    fn fits(secret: &Secret) -> bool {
        secret::is_s3_secret(secret.expose())
    }

    async fn connect(_: &Call<'_>, pool: Arc<Store>) -> Result<String, Error> {
        bucket::describe(&pool).await
    }
}

fn files<T: Send>(accessor: &Accessor<T, HasSelf<State>>) -> Arc<Files> {
    accessor.with(|mut access| access.get().files())
}

/// A text to upload. It is shared, so that no attempt of a request copies it.
#[derive(Clone)]
struct Text(Arc<String>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Arguments for Text {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        visitor(&self.0);
    }
}

impl objectstore::Host for State {}

impl<T: Send> objectstore::HostWithStore<T> for HasSelf<State> {
    async fn list_buckets(accessor: &Accessor<T, Self>, conn: String) -> Result<Vec<ObjectBucketInfo>, Error> {
        let buckets = call(accessor, (conn,), async |call, (conn,)| super::list_buckets(call, conn).await).await?;
        Ok(buckets.into_iter().map(Into::into).collect())
    }

    async fn bucket_exists(accessor: &Accessor<T, Self>, conn: String, bucket: String) -> Result<bool, Error> {
        let arguments = (conn, bucket);
        call(accessor, arguments, async |call, (conn, bucket)| super::bucket_exists(call, conn, bucket).await).await
    }

    async fn list_objects(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        options: Option<ObjectListOptions>,
    ) -> Result<Vec<ObjectInfo>, Error> {
        let ObjectListOptions { prefix, max_keys } =
            options.unwrap_or(ObjectListOptions { prefix: None, max_keys: None });
        let objects = call(accessor, (conn, bucket, prefix), async |call, (conn, bucket, prefix)| {
            super::list_objects(call, conn, bucket, (prefix.as_deref(), max_keys)).await
        });
        Ok(objects.await?.into_iter().map(Into::into).collect())
    }

    async fn get_object_text(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
    ) -> Result<String, Error> {
        call(accessor, (conn, bucket, key), async |call, (conn, bucket, key)| {
            super::get_object_text(call, conn, bucket, key).await
        })
        .await
    }

    async fn get_object(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
        local_path: String,
    ) -> Result<(), Error> {
        let files = files(accessor);
        call(accessor, (conn, (bucket, key), local_path), async |call, (conn, (bucket, key), path)| {
            super::get_object(call, &files, conn, (bucket, key), path).await
        })
        .await
    }

    async fn put_object_text(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
        content: String,
        content_type: Option<String>,
    ) -> Result<(), Error> {
        let content = Text(Arc::new(content));
        let arguments = (conn, (bucket, key), (content, content_type));
        call(accessor, arguments, async |call, (conn, (bucket, key), (content, content_type))| {
            let content = Bytes::from_owner(content.clone());
            super::put_object_text(call, conn, (bucket, key), content, content_type.as_deref()).await
        })
        .await
    }

    async fn put_object(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
        local_path: String,
        content_type: Option<String>,
    ) -> Result<(), Error> {
        let files = files(accessor);
        let arguments = (conn, (bucket, key), (local_path, content_type));
        call(accessor, arguments, async |call, (conn, (bucket, key), (path, content_type))| {
            super::put_object(call, &files, conn, (bucket, key), (path, content_type.as_deref())).await
        })
        .await
    }

    async fn delete_object(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
    ) -> Result<(), Error> {
        call(accessor, (conn, bucket, key), async |call, (conn, bucket, key)| {
            super::delete_object(call, conn, bucket, key).await
        })
        .await
    }

    async fn object_exists(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
    ) -> Result<bool, Error> {
        call(accessor, (conn, bucket, key), async |call, (conn, bucket, key)| {
            super::object_exists(call, conn, bucket, key).await
        })
        .await
    }

    async fn create_bucket(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        region: Option<String>,
    ) -> Result<(), Error> {
        call(accessor, (conn, bucket, region), async |call, (conn, bucket, region)| {
            super::create_bucket(call, conn, bucket, region.as_deref()).await
        })
        .await
    }

    async fn copy_object(
        accessor: &Accessor<T, Self>,
        conn: String,
        src_bucket: String,
        src_key: String,
        dst_bucket: String,
        dst_key: String,
    ) -> Result<(), Error> {
        let arguments = (conn, (src_bucket, src_key), (dst_bucket, dst_key));
        call(accessor, arguments, async |call, (conn, (src_bucket, src_key), (dst_bucket, dst_key))| {
            super::copy_object(call, conn, (src_bucket, src_key), (dst_bucket, dst_key)).await
        })
        .await
    }

    async fn get_presigned_url(
        accessor: &Accessor<T, Self>,
        conn: String,
        bucket: String,
        key: String,
        options: Option<ObjectPresignedUrlOptions>,
    ) -> Result<String, Error> {
        let ObjectPresignedUrlOptions { method, expiry } =
            options.unwrap_or(ObjectPresignedUrlOptions { method: None, expiry: None });
        call(accessor, (conn, (bucket, key), method), async |call, (conn, (bucket, key), method)| {
            super::get_presigned_url(call, conn, (bucket, key), (method.as_deref(), expiry)).await
        })
        .await
    }
}

impl From<list::Bucket> for ObjectBucketInfo {
    fn from(bucket: list::Bucket) -> Self {
        Self { name: bucket.name, creation_date: bucket.created }
    }
}

impl From<list::Listed> for ObjectInfo {
    fn from(object: list::Listed) -> Self {
        let list::Listed { key, size, modified, etag } = object;
        Self { key, size, last_modified: modified, etag }
    }
}
