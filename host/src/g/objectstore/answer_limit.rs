//! Limits the answers that the client keeps in memory. The content of an object is streamed, and has no limit; the
//! client would read any other answer to its end, whatever its length.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use aws_sdk_s3::{
    config::{ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeDeserializationInterceptorContextMut},
    error::BoxError,
    primitives::SdkBody,
};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The largest answer: a page of 1,000 keys of 1,024 bytes, percent-encoded, needs half of it.
const MAX_BYTES: usize = 8 << 20;

/// Which answers of a client are limited.
#[derive(Debug)]
pub(super) enum AnswerLimit {
    /// All answers.
    All,
    /// Errors only, for a client whose other answers are the contents of objects.
    Errors,
}

impl Intercept for AnswerLimit {
    fn name(&self) -> &'static str {
        "AnswerLimit"
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response_mut();
        let is_streamed = matches!(self, Self::Errors) && response.status().is_success();
        if !is_streamed {
            let body = std::mem::replace(response.body_mut(), SdkBody::taken());
            *response.body_mut() = SdkBody::from_body_1_x(Limited { body, left: MAX_BYTES });
        }
        Ok(())
    }
}

struct Limited {
    body: SdkBody,
    left: usize,
}

/// The error for an answer that exceeds the limit.
#[derive(Debug)]
pub(super) struct AnswerTooLong;

impl fmt::Display for AnswerTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the answer is longer than {MAX_BYTES} bytes")
    }
}

impl std::error::Error for AnswerTooLong {}

impl Body for Limited {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            match self.left.checked_sub(data.len()) {
                Some(left) => self.left = left,
                None => return Poll::Ready(Some(Err(AnswerTooLong.into()))),
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        Body::size_hint(&self.body)
    }
}
