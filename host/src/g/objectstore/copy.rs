//! Copies objects on the server: in one request, or in parts.

use std::sync::Arc;

use aws_sdk_s3::{
    operation::{create_multipart_upload::builders::CreateMultipartUploadFluentBuilder, head_object::HeadObjectOutput},
    types::CompletedPart,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    Place,
    multipart::{self, Multipart, Part},
    request::{Effect, request},
    store::{Store, without_stall_limit},
};
use crate::{
    Error,
    gate::{Call, error::protocol},
};

/// The object size above which a copy is made in parts, and the minimum size of a part; in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) parts_above: u64,
    pub(super) part: u64,
}

/// S3 copies at most 5 GiB in one request.
pub(super) const SIZES: Sizes = Sizes { parts_above: 5 << 30, part: 512 << 20 };

/// The characters that are percent-encoded in the header that names the source of a copy.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Copies an object.
pub(super) async fn copy(
    call: &Call<'_>,
    store: &Arc<Store>,
    from: &Place,
    to: &Place,
    sizes: Sizes,
) -> Result<(), Error> {
    if from == to {
        return Err(Error::invalid("source and destination are the same object"));
    }
    let source = utf8_percent_encode(&format!("{}/{}", from.bucket, from.key), PATH).to_string();
    let head =
        request(store, Effect::Read, || store.client.head_object().bucket(&from.bucket).key(&from.key).send()).await?;
    let length = head.content_length.and_then(|length| u64::try_from(length).ok());
    let length = length.ok_or_else(|| protocol("the object has no length"))?;
    if length > sizes.parts_above {
        return in_parts(call, store, from, to, InParts { source, head, length, part: sizes.part }).await;
    }
    request(store, Effect::Write, || {
        store.client.copy_object().bucket(&to.bucket).key(&to.key).copy_source(&source).send()
    })
    .await?;
    Ok(())
}

/// An object that is copied in parts.
struct InParts {
    source: String,
    head: HeadObjectOutput,
    length: u64,
    part: u64,
}

async fn in_parts(call: &Call<'_>, store: &Arc<Store>, from: &Place, to: &Place, copy: InParts) -> Result<(), Error> {
    let tags = if copy.head.tag_count.unwrap_or_default() > 0 { Some(tags(store, from).await?) } else { None };
    let InParts { source, head, length, part } = copy;
    let etag = head.e_tag.clone().ok_or_else(|| protocol("the object has no entity tag"))?;
    let create = store.client.create_multipart_upload().set_tagging(tags);
    let multipart = Multipart::begin(call, store, to, with_metadata(create, head)).await?;
    let copy = Arc::new(Copying { store: Arc::clone(store), to: to.clone(), source, etag });
    multipart.send(multipart::parts(length, part), |part, id| Arc::clone(&copy).part(part, id)).await
}

struct Copying {
    store: Arc<Store>,
    to: Place,
    source: String,
    /// Identifies the version of the object that is copied.
    etag: String,
}

impl Copying {
    async fn part(self: Arc<Self>, part: Part, id: String) -> Result<CompletedPart, Error> {
        let Self { store, to: Place { bucket, key }, source, etag } = &*self;
        let range = format!("bytes={}-{}", part.offset, part.offset + part.length - 1);
        let copied = request(store, Effect::Repeatable, || {
            let copy = store.client.upload_part_copy().bucket(bucket).key(key).upload_id(&id).part_number(part.number);
            let copy = copy.copy_source(source).copy_source_if_match(etag).copy_source_range(&range);
            copy.customize().config_override(without_stall_limit()).send()
        })
        .await?;
        let etag = copied.copy_part_result.and_then(|result| result.e_tag);
        Ok(CompletedPart::builder().part_number(part.number).set_e_tag(etag).build())
    }
}

/// Adds the metadata of the source to the request that begins a copy in parts. (When the server copies in one request,
/// it keeps the metadata itself.)
fn with_metadata(
    create: CreateMultipartUploadFluentBuilder,
    head: HeadObjectOutput,
) -> CreateMultipartUploadFluentBuilder {
    let create = create.set_content_type(head.content_type).set_content_encoding(head.content_encoding);
    let create = create.set_content_language(head.content_language).set_content_disposition(head.content_disposition);
    let create = create.set_cache_control(head.cache_control).set_metadata(head.metadata);
    let create = create.set_website_redirect_location(head.website_redirect_location);
    let expires = head.expires_string.and_then(|text| {
        aws_sdk_s3::primitives::DateTime::from_str(&text, aws_sdk_s3::primitives::DateTimeFormat::HttpDate).ok()
    });
    create.set_expires(expires)
}

/// Returns the tags of an object in the format of the header `x-amz-tagging`.
async fn tags(store: &Store, place: &Place) -> Result<String, Error> {
    let answer =
        request(store, Effect::Read, || store.client.get_object_tagging().bucket(&place.bucket).key(&place.key).send())
            .await?;
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let tags = answer.tag_set.iter().map(|tag| format!("{}={}", encoded(tag.key()), encoded(tag.value())));
    Ok(tags.collect::<Vec<_>>().join("&"))
}
