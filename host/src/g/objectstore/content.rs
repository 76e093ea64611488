//! The content of an object, as it arrives.

use aws_sdk_s3::{operation::get_object::GetObjectOutput, primitives::ByteStream};
use bytes::Bytes;

use super::{
    Place,
    error::of_content,
    request::{Effect, request},
    store::Store,
};
use crate::{
    Error, ErrorCode,
    gate::error::{broken, protocol},
};

/// How many times in a row the rest of a content is requested again without receiving a byte.
const ATTEMPTS: u32 = 3;

/// The content of an object. If the connection breaks, the rest of the same version of the object is requested again.
pub(super) struct Content<'s> {
    store: &'s Store,
    place: Place,
    body: ByteStream,
    /// Identifies this version of the object.
    etag: Option<String>,
    length: u64,
    received: u64,
    attempts: u32,
}

impl<'s> Content<'s> {
    /// Requests an object.
    pub(super) async fn open(store: &'s Store, place: Place) -> Result<Self, Error> {
        let answer =
            request(store, Effect::Read, || store.contents.get_object().bucket(&place.bucket).key(&place.key).send())
                .await?;
        let GetObjectOutput { body, e_tag, content_length, .. } = answer;
        let length = content_length.and_then(|length| u64::try_from(length).ok());
        let length = length.ok_or_else(|| protocol("the object has no length"))?;
        Ok(Self { store, place, body, etag: e_tag, length, received: 0, attempts: 0 })
    }

    /// Returns the length of the content, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the next bytes; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            let error = match self.body.next().await {
                Some(Ok(bytes)) if bytes.is_empty() => continue,
                Some(Ok(bytes)) => return self.take(bytes).map(Some),
                None if self.received == self.length => return Ok(None),
                None => broken(),
                // All bytes have arrived, so the error is that of the client's checksum, and there is nothing left to
                // request.
                Some(Err(_)) if self.received == self.length => {
                    return Err(protocol("the content does not match its checksum"));
                }
                Some(Err(error)) => of_content(&error),
            };
            self.resume(error).await?;
        }
    }

    fn take(&mut self, bytes: Bytes) -> Result<Bytes, Error> {
        self.received += bytes.len() as u64;
        self.attempts = 0;
        if self.received > self.length {
            Err(protocol("the content is longer than its announced length"))
        } else {
            Ok(bytes)
        }
    }

    /// Requests the rest of the content. Fails with `error` if its code is not `unavailable`, after `ATTEMPTS` attempts
    /// without a byte, if the server returned no entity tag, or if the answer does not have the length of the rest.
    async fn resume(&mut self, error: Error) -> Result<(), Error> {
        self.attempts += 1;
        let Some(etag) =
            self.etag.as_deref().filter(|_| error.code == ErrorCode::Unavailable && self.attempts <= ATTEMPTS)
        else {
            return Err(error);
        };
        tracing::debug!(received = self.received, "the rest of an object is asked for again");
        let range = format!("bytes={}-", self.received);
        let answer = request(self.store, Effect::Read, || {
            let get = self.store.contents.get_object().bucket(&self.place.bucket).key(&self.place.key);
            get.range(&range).if_match(etag).send()
        })
        .await?;
        let left = self.length - self.received;
        if answer.content_length != Some(left.cast_signed()) {
            return Err(error);
        }
        self.body = answer.body;
        Ok(())
    }
}
