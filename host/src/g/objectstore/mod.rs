//! An external object store. `objectstore.wit` defines the contract.

mod answer_limit;
mod bucket;
mod content;
mod copy;
mod download;
mod error;
mod host;
mod http;
mod list;
mod multipart;
mod name;
mod request;
mod secret;
mod source;
mod store;
mod transfer;
mod upload;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use source::Source;
use store::Store;
use transfer::Observed;
use upload::Upload;

use crate::{Error, gate::Call, run::Files};

/// The namespace in [`EXTERNAL`](super::EXTERNAL).
pub(crate) struct Objectstore;

/// The bucket and the key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    bucket: String,
    key: String,
}

impl Place {
    fn of(bucket: &str, key: &str) -> Result<Self, Error> {
        Self::named(("bucket", bucket), ("key", key))
    }

    /// Checks the bucket and the key, each with the name of its parameter.
    fn named((bucket_name, bucket): (&str, &str), (key_name, key): (&str, &str)) -> Result<Self, Error> {
        name::bucket(bucket_name, bucket)?;
        name::key(key_name, key)?;
        Ok(Self { bucket: bucket.to_owned(), key: key.to_owned() })
    }
}

const DEFAULT_MAX_KEYS: u32 = 1_000;
const DEFAULT_EXPIRY: u32 = 3_600;
/// The maximum expiry of a signature, in seconds: seven days.
const MAX_EXPIRY: u32 = 604_800;
const TEXT: &str = "text/plain; charset=utf-8";

async fn list_buckets(call: &Call<'_>, conn: &str) -> Result<Vec<list::Bucket>, Error> {
    list::buckets(call, &*Store::of(call, conn).await?).await
}

async fn bucket_exists(call: &Call<'_>, conn: &str, bucket: &str) -> Result<bool, Error> {
    name::bucket("bucket", bucket)?;
    bucket::bucket_exists(&*Store::of(call, conn).await?, bucket).await
}

async fn list_objects(
    call: &Call<'_>,
    conn: &str,
    bucket: &str,
    (prefix, max_keys): (Option<&str>, Option<u32>),
) -> Result<Vec<list::Listed>, Error> {
    name::bucket("bucket", bucket)?;
    name::prefix(prefix.unwrap_or_default())?;
    let store = Store::of(call, conn).await?;
    list::objects(call, &store, bucket, prefix, max_keys.unwrap_or(DEFAULT_MAX_KEYS)).await
}

async fn get_object_text(call: &Call<'_>, conn: &str, bucket: &str, key: &str) -> Result<String, Error> {
    let place = Place::of(bucket, key)?;
    download::text(call, &*Store::of(call, conn).await?, place).await
}

async fn get_object(
    call: &Call<'_>,
    files: &Files,
    conn: &str,
    (bucket, key): (&str, &str),
    local_path: &str,
) -> Result<(), Error> {
    let place = Place::of(bucket, key)?;
    download::file(call, &*Store::of(call, conn).await?, files, place, local_path).await
}

async fn put_object_text(
    call: &Call<'_>,
    conn: &str,
    (bucket, key): (&str, &str),
    content: Bytes,
    content_type: Option<&str>,
) -> Result<(), Error> {
    let (place, content_type) = (Place::of(bucket, key)?, content_type.unwrap_or(TEXT).to_owned());
    name::content_type(&content_type)?;
    let (length, source) = (content.len() as u64, Source::Text(content));
    let upload = Upload { place, source, length, content_type, observed: Observed::nothing() };
    upload.run(call, &Store::of(call, conn).await?).await
}

async fn put_object(
    call: &Call<'_>,
    files: &Files,
    conn: &str,
    (bucket, key): (&str, &str),
    (local_path, content_type): (&str, Option<&str>),
) -> Result<(), Error> {
    let place = Place::of(bucket, key)?;
    let guessed = || mime_guess::from_path(local_path).first_or_octet_stream().to_string();
    let content_type = content_type.map_or_else(guessed, str::to_owned);
    name::content_type(&content_type)?;
    let (directory, path) = (files.directory.clone(), local_path.to_owned());
    let (file, length) = download::on_thread(move || directory.open(&path)).await?;
    let store = Store::of(call, conn).await?;
    let observed = Observed::begin(files.transfers.as_ref(), length);
    Upload { place, source: Source::File(Arc::new(file)), length, content_type, observed }.run(call, &store).await
}

async fn delete_object(call: &Call<'_>, conn: &str, bucket: &str, key: &str) -> Result<(), Error> {
    let place = Place::of(bucket, key)?;
    bucket::delete_object(&*Store::of(call, conn).await?, &place).await
}

async fn object_exists(call: &Call<'_>, conn: &str, bucket: &str, key: &str) -> Result<bool, Error> {
    let place = Place::of(bucket, key)?;
    bucket::object_exists(&*Store::of(call, conn).await?, &place).await
}

async fn create_bucket(call: &Call<'_>, conn: &str, bucket: &str, region: Option<&str>) -> Result<(), Error> {
    name::bucket("bucket", bucket)?;
    region.map(name::region).transpose()?;
    bucket::create_bucket(&*Store::of(call, conn).await?, bucket, region).await
}

async fn copy_object(
    call: &Call<'_>,
    conn: &str,
    (src_bucket, src_key): (&str, &str),
    (dst_bucket, dst_key): (&str, &str),
) -> Result<(), Error> {
    let from = Place::named(("srcBucket", src_bucket), ("srcKey", src_key))?;
    let to = Place::named(("dstBucket", dst_bucket), ("dstKey", dst_key))?;
    copy::copy(call, &Store::of(call, conn).await?, &from, &to, copy::SIZES).await
}

async fn get_presigned_url(
    call: &Call<'_>,
    conn: &str,
    (bucket, key): (&str, &str),
    (method, expiry): (Option<&str>, Option<u32>),
) -> Result<String, Error> {
    let place = Place::of(bucket, key)?;
    let is_upload = match method.unwrap_or("GET") {
        "GET" => false,
        "PUT" => true,
        _ => return Err(Error::invalid("method is neither GET nor PUT")),
    };
    let expiry = expiry.unwrap_or(DEFAULT_EXPIRY);
    if !(1..=MAX_EXPIRY).contains(&expiry) {
        return Err(Error::invalid(format!("expiry is {expiry} seconds, 1 to {MAX_EXPIRY} are allowed")));
    }
    let store = Store::of(call, conn).await?;
    bucket::presigned_url(&store, &place, is_upload, Duration::from_secs(expiry.into())).await
}
