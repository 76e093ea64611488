//! Receives a stream of text from a script, part by part.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::sync::{mpsc, oneshot};
use wasmtime::{
    StoreContextMut,
    component::{Accessor, HasData, Source, StreamConsumer, StreamReader, StreamResult},
};

use crate::Error;

/// The parts of a stream, in their order. A part is taken from the script only when `next` asks for it, so a call that
/// waits for a permit or a connection buffers nothing. Dropping `Parts` closes the stream, which the script notices.
pub(crate) struct Parts(mpsc::Sender<oneshot::Sender<String>>);

impl Parts {
    pub(crate) fn of<T, D>(accessor: &Accessor<T, D>, stream: StreamReader<String>) -> Result<Self, Error>
    where
        T: 'static,
        D: HasData + ?Sized,
    {
        let (parts, asked) = mpsc::channel(1);
        accessor.with(|access| stream.pipe(access, Consumer { asked, next: None })).map_err(Error::internal)?;
        Ok(Self(parts))
    }

    /// Returns the next part; `None` at the end of the stream. The script can make a part while the host uses the
    /// previous one.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let (next, part) = oneshot::channel();
        self.0.send(next).await.ok()?;
        part.await.ok()
    }
}

struct Consumer {
    asked: mpsc::Receiver<oneshot::Sender<String>>,
    /// Where the next part goes.
    next: Option<oneshot::Sender<String>>,
}

impl<D> StreamConsumer<D> for Consumer {
    type Item = String;

    fn poll_consume(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        store: StoreContextMut<'_, D>,
        mut source: Source<'_, String>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        if self.next.is_none() {
            match self.asked.poll_recv(context) {
                Poll::Ready(Some(next)) => self.next = Some(next),
                Poll::Ready(None) => return Poll::Ready(Ok(StreamResult::Dropped)),
                Poll::Pending if finish => return Poll::Ready(Ok(StreamResult::Cancelled)),
                Poll::Pending => return Poll::Pending,
            }
        }
        let mut part = None;
        source.read(store, &mut part)?;
        // An empty write only asks whether the stream is ready.
        let Some(part) = part else { return Poll::Ready(Ok(StreamResult::Completed)) };
        // Sending fails only if the receiver was dropped.
        let sent = self.next.take().is_some_and(|next| next.send(part).is_ok());
        Poll::Ready(Ok(if sent { StreamResult::Completed } else { StreamResult::Dropped }))
    }
}
