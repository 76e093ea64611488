//! Buckets, and single requests about an object.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aws_sdk_s3::{
    Config,
    config::{
        ConfigBag, Intercept, Region, RequestChecksumCalculation, RuntimeComponents,
        interceptors::BeforeDeserializationInterceptorContextRef,
    },
    error::BoxError,
    presigning::PresigningConfig,
    types::{BucketLocationConstraint, CreateBucketConfiguration},
};

use super::{
    Place,
    error::Failure,
    request::{Effect, attempt},
    store::Store,
};
use crate::{Error, ErrorCode};

/// The default region of S3. A request to create a bucket in it does not name it.
const UNNAMED_REGION: &str = "us-east-1";

/// Returns false only if the server answered that the bucket or object does not exist.
fn exists<T>(answer: Result<T, Failure>) -> Result<bool, Error> {
    match answer {
        Ok(_) => Ok(true),
        Err(failure) if failure.status() == 404 => Ok(false),
        Err(failure) => Err(failure.into_error(false)),
    }
}

pub(super) async fn bucket_exists(store: &Store, bucket: &str) -> Result<bool, Error> {
    let answer = attempt(store, Effect::Read, || store.client.head_bucket().bucket(bucket).send()).await;
    match answer {
        Err(failure) if failure.is_in_other_region() => Ok(true),
        answer => exists(answer),
    }
}

pub(super) async fn object_exists(store: &Store, place: &Place) -> Result<bool, Error> {
    exists(
        attempt(store, Effect::Read, || store.client.head_object().bucket(&place.bucket).key(&place.key).send()).await,
    )
}

pub(super) async fn delete_object(store: &Store, place: &Place) -> Result<(), Error> {
    let answer =
        attempt(store, Effect::Write, || store.client.delete_object().bucket(&place.bucket).key(&place.key).send());
    match answer.await {
        Err(failure) if failure.code() != "NoSuchKey" => Err(failure.into_error(true)),
        _ => Ok(()),
    }
}

/// Creates a bucket, in the region of the secret unless the script names another one.
pub(super) async fn create_bucket(store: &Store, bucket: &str, region: Option<&str>) -> Result<(), Error> {
    let is_of_secret = region.is_none();
    let region = region.unwrap_or(&store.region);
    let location = (region != UNNAMED_REGION).then(|| {
        CreateBucketConfiguration::builder().location_constraint(BucketLocationConstraint::from(region)).build()
    });
    let answer = attempt(store, Effect::Write, || {
        let create = store.client.create_bucket().bucket(bucket);
        let create = create.set_create_bucket_configuration(location.clone()).customize();
        // For Amazon S3, the request goes to the region of the new bucket.
        let there = Config::builder().region(Region::new(region.to_owned()));
        if store.has_regional_hosts { create.config_override(there).send() } else { create.send() }
    });
    match answer.await {
        Err(failure) if failure.code() == "BucketAlreadyOwnedByYou" => Ok(()),
        Err(failure) if is_of_secret && failure.is_about_region() => {
            let details = failure.into_error(true).details;
            Err(Error::new(ErrorCode::SecretInvalid, "the server refused the region of the secret").detailed(details))
        }
        Err(failure) => Err(failure.into_error(true)),
        Ok(_) => Ok(()),
    }
}

/// Returns a signed URL to download an object, or to upload one. Sends nothing.
pub(super) async fn presigned_url(
    store: &Store,
    place: &Place,
    is_upload: bool,
    expiry: Duration,
) -> Result<String, Error> {
    let expiry = PresigningConfig::expires_in(expiry).map_err(Error::internal)?;
    let Place { bucket, key } = place;
    // A client that uses the URL does not send a checksum.
    let plain = Config::builder().request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
    let signed = if is_upload {
        let put = store.client.put_object().bucket(bucket).key(key).customize().config_override(plain);
        put.presigned(expiry).await.map_err(not_signed)?
    } else {
        store.client.get_object().bucket(bucket).key(key).presigned(expiry).await.map_err(not_signed)?
    };
    Ok(signed.uri().to_owned())
}

/// Drops the cause of an error, because it may contain the request.
fn not_signed<E>(_: E) -> Error {
    Error::new(ErrorCode::SecretInvalid, "a URL can't be signed with the secret")
}

/// Returns the product of the server, and the number of buckets that the access key can list.
pub(super) async fn describe(store: &Store) -> Result<String, Error> {
    let server = Arc::<ServerHeader>::default();
    let answer = attempt(store, Effect::Read, || {
        let seen = SeenServer(Arc::clone(&server));
        store.client.list_buckets().customize().interceptor(seen).send()
    });
    let answer = answer.await;
    let product = server.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let product = product.unwrap_or_else(|| "an S3 server".to_owned());
    match answer {
        Ok(answer) => {
            let count = answer.buckets().len();
            Ok(format!("{product}, {count} {}", if count == 1 { "bucket" } else { "buckets" }))
        }
        // The server accepted the signature, so the secret is valid.
        Err(failure) if failure.code() == "AccessDenied" => {
            Ok(format!("{product}; the access key is not allowed to list buckets"))
        }
        Err(failure) => Err(failure.into_error(false)),
    }
}

/// The header `Server` of an answer.
#[derive(Debug, Default)]
struct ServerHeader(Mutex<Option<String>>);

#[derive(Debug)]
struct SeenServer(Arc<ServerHeader>);

/// The longest name of a product that is shown, in characters.
const PRODUCT_CHARS: usize = 80;

impl Intercept for SeenServer {
    fn name(&self) -> &'static str {
        "SeenServer"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let product = context.response().headers().get("server").filter(|product| !product.is_empty());
        let product = product.map(|product| product.chars().take(PRODUCT_CHARS).collect());
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = product;
        Ok(())
    }
}
