//! Uploads a file or a text: in one request, or in parts.

use std::sync::Arc;

use aws_sdk_s3::types::{ChecksumAlgorithm, CompletedPart};

use super::{
    Place,
    multipart::{self, Multipart, Part},
    request::{Effect, request},
    source::Source,
    store::Store,
    transfer::Observed,
};
use crate::{Error, gate::Call};

/// A content of this size or more is uploaded in parts.
const MULTIPART_THRESHOLD: u64 = 16 << 20;
const MIN_PART_BYTES: u64 = 8 << 20;

/// A content to upload.
pub(super) struct Upload {
    pub(super) place: Place,
    pub(super) source: Source,
    pub(super) length: u64,
    pub(super) content_type: String,
    pub(super) observed: Observed,
}

impl Upload {
    /// Uploads the content.
    pub(super) async fn run(self, call: &Call<'_>, store: &Arc<Store>) -> Result<(), Error> {
        if self.length < MULTIPART_THRESHOLD {
            self.in_one_request(store).await
        } else {
            self.in_parts(call, store).await
        }
    }

    async fn in_one_request(&self, store: &Store) -> Result<(), Error> {
        let Self { place, source, length, content_type, observed } = self;
        let _permit = store.transfer().await?;
        request(store, Effect::Write, || {
            let observed = observed.clone();
            let body = source.body(0, *length, move |bytes| observed.advance(bytes));
            let put = store.client.put_object().bucket(&place.bucket).key(&place.key).content_type(content_type);
            put.content_length(length.cast_signed()).body(body).customize().disable_payload_signing().send()
        })
        .await?;
        Ok(())
    }

    async fn in_parts(self, call: &Call<'_>, store: &Arc<Store>) -> Result<(), Error> {
        let create = store.client.create_multipart_upload().content_type(&self.content_type);
        let create = create.set_checksum_algorithm(checksum(store));
        let multipart = Multipart::begin(call, store, &self.place, create).await?;
        let upload = Arc::new(self);
        let parts = multipart::parts(upload.length, MIN_PART_BYTES);
        multipart.send(parts, |part, id| Arc::clone(&upload).part(Arc::clone(store), part, id)).await
    }

    async fn part(self: Arc<Self>, store: Arc<Store>, part: Part, id: String) -> Result<CompletedPart, Error> {
        let Self { place, source, observed, .. } = &*self;
        let _permit = store.transfer().await?;
        let sent = request(&store, Effect::Repeatable, || {
            let observed = observed.clone();
            let body = source.body(part.offset, part.length, move |bytes| observed.advance(bytes));
            let send = store.client.upload_part().bucket(&place.bucket).key(&place.key).upload_id(&id);
            let send = send.set_checksum_algorithm(checksum(&store)).part_number(part.number);
            let send = send.content_length(part.length.cast_signed()).body(body);
            send.customize().disable_payload_signing().send()
        })
        .await?;
        let complete = CompletedPart::builder().part_number(part.number).set_e_tag(sent.e_tag);
        // The checksums of the part. The server returns those that the client sent.
        let complete = complete.set_checksum_crc32(sent.checksum_crc32).set_checksum_crc32_c(sent.checksum_crc32_c);
        let complete = complete.set_checksum_crc64_nvme(sent.checksum_crc64_nvme);
        Ok(complete.set_checksum_sha1(sent.checksum_sha1).set_checksum_sha256(sent.checksum_sha256).build())
    }
}

/// The kind of checksum for the parts. It is named when the upload begins, and the server expects it for each part.
fn checksum(store: &Store) -> Option<ChecksumAlgorithm> {
    store.is_aws.then_some(ChecksumAlgorithm::Crc32)
}
