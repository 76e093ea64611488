//! The source of an upload: a local file, or a text. A file is read step by step while it is sent.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use aws_sdk_s3::{
    error::BoxError,
    primitives::{ByteStream, SdkBody},
};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

use super::error::OwnError;
use crate::{ErrorCode, directory};

/// How much of a file is read at a time. The next step is read while this one is sent.
const STEP: usize = 256 << 10;

/// The source of an upload.
#[derive(Clone)]
pub(super) enum Source {
    File(Arc<File>),
    Text(Bytes),
}

impl Source {
    /// Returns the bytes from `offset` on as the body of a request. `observe` is called with the number of bytes
    /// whenever the client takes some.
    pub(super) fn body(&self, offset: u64, length: u64, observe: impl Fn(u64) + Send + Sync + 'static) -> ByteStream {
        let rest = Rest { source: self.clone(), offset, left: length, next: None, observe: Box::new(observe) };
        ByteStream::new(SdkBody::from_body_1_x(rest))
    }
}

/// A part of a source that is still to be sent.
struct Rest {
    source: Source,
    offset: u64,
    left: u64,
    /// The step that is being read.
    next: Option<JoinHandle<io::Result<Bytes>>>,
    observe: Box<dyn Fn(u64) + Send + Sync>,
}

impl Rest {
    /// Returns the length of the next step; `None` at the end.
    fn step(&self) -> Option<usize> {
        usize::try_from(self.left.min(STEP as u64)).ok().filter(|length| *length > 0)
    }

    /// Begins to read the next step of a file.
    fn read(&self, file: &Arc<File>) -> Option<JoinHandle<io::Result<Bytes>>> {
        let (file, offset, length) = (Arc::clone(file), self.offset, self.step()?);
        Some(spawn_blocking(move || read(&file, offset, length)))
    }

    fn advance(&mut self, step: Bytes) -> Frame<Bytes> {
        self.offset += step.len() as u64;
        self.left -= step.len() as u64;
        (self.observe)(step.len() as u64);
        Frame::data(step)
    }
}

fn read(file: &File, offset: u64, length: usize) -> io::Result<Bytes> {
    let mut step = vec![0; length];
    file.read_exact_at(&mut step, offset)?;
    Ok(step.into())
}

impl Body for Rest {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let file = match &self.source {
            Source::File(file) => Arc::clone(file),
            Source::Text(text) => {
                let Some(length) = self.step() else { return Poll::Ready(None) };
                // A text is in memory, so its length is a `usize`.
                let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
                let step = text.slice(start..start + length);
                return Poll::Ready(Some(Ok(self.advance(step))));
            }
        };
        if self.next.is_none() {
            self.next = self.read(&file);
        }
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let step = ready!(Pin::new(next).poll(context));
        self.next = None;
        let step = match step {
            Ok(Ok(step)) => step,
            Ok(Err(error)) => return Poll::Ready(Some(Err(failed(&error).into()))),
            Err(panicked) => return Poll::Ready(Some(Err(panicked.into()))),
        };
        let frame = self.advance(step);
        self.next = self.read(&file);
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

fn failed(error: &io::Error) -> OwnError {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return OwnError(ErrorCode::Data, "the file of localPath became shorter while it was uploaded".to_owned());
    }
    let error = directory::unreadable(error);
    OwnError(error.code, error.message)
}
