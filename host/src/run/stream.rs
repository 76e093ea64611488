//! What a script streams to the host, part by part.

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

/// The parts of a stream, in their order. None is taken before it is asked for, so that a call which waits in line keeps
/// none. Dropping it closes the stream, which the script notices.
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

    /// The next part, which the script makes while the one before is used; none when there are no more.
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
        // A write of nothing asks whether a part would be taken.
        let Some(part) = part else { return Poll::Ready(Ok(StreamResult::Completed)) };
        // It fails only when the receiver was dropped.
        let sent = self.next.take().is_some_and(|next| next.send(part).is_ok());
        Poll::Ready(Ok(if sent { StreamResult::Completed } else { StreamResult::Dropped }))
    }
}
