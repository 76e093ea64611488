//! What a script streams to the host, part by part.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::sync::mpsc::{self, Receiver};
use tokio_util::sync::PollSender;
use wasmtime::{
    StoreContextMut,
    component::{Accessor, HasData, Source, StreamConsumer, StreamReader, StreamResult},
};

use crate::Error;

/// Takes the parts of a stream from now on. The script makes the next one while one is used; no more are kept. When the
/// receiver is dropped, no more are taken, and the script is told so.
pub(crate) fn receive<T, D>(accessor: &Accessor<T, D>, stream: StreamReader<String>) -> Result<Receiver<String>, Error>
where
    T: 'static,
    D: HasData + ?Sized,
{
    let (sender, receiver) = mpsc::channel(1);
    accessor.with(|access| stream.pipe(access, Consumer(PollSender::new(sender)))).map_err(Error::internal)?;
    Ok(receiver)
}

struct Consumer(PollSender<String>);

impl<D> StreamConsumer<D> for Consumer {
    type Item = String;

    fn poll_consume(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        store: StoreContextMut<'_, D>,
        mut source: Source<'_, String>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        let reserved = self.0.poll_reserve(context);
        if reserved.is_pending() && finish {
            return Poll::Ready(Ok(StreamResult::Cancelled));
        }
        if ready!(reserved).is_err() {
            return Poll::Ready(Ok(StreamResult::Dropped));
        }
        let mut part = None;
        source.read(store, &mut part)?;
        let Some(part) = part else { return Poll::Ready(Ok(StreamResult::Completed)) };
        // Refused only when nobody receives any more.
        let sent = self.0.send_item(part);
        Poll::Ready(Ok(if sent.is_ok() { StreamResult::Completed } else { StreamResult::Dropped }))
    }
}
