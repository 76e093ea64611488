//! A connection: what is sent, what comes, and whether something is running on it.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, Waker, ready},
};

use bytes::{Buf, BytesMut};
use postgres_protocol::message::{
    backend::{Message, ParameterStatusBody},
    frontend,
};
use tokio::io::AsyncWrite;
use tokio_util::io::poll_read_buf;

use super::{
    connect::CancelKey,
    error::{Answer, Error, Result},
    inbox::{DataRow, Inbox, Received, take_value},
    socket::{Stream, Target},
    types::Types,
};
use crate::gate::Buffer;

/// How much a server may send between two requests, in bytes: notices, and why it ends the connection.
const BETWEEN: usize = 64 << 10;
/// A send buffer beyond this is given back, in bytes.
const SEND: usize = 128 << 10;

/// What the server said of the transaction when it was last ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is none.
    Idle,
    Open,
    /// It is open and failed: it can only be rolled back.
    Failed,
}

/// A connection that is logged in. Dropped, it is closed.
pub(crate) struct Client {
    stream: Stream,
    outbox: BytesMut,
    pub(super) inbox: Inbox,
    /// A request was sent, and not all of its answer was read.
    running: bool,
    closed: bool,
    status: Status,
    /// Why the server ended the connection, if it said so.
    last_words: Option<Box<Answer>>,
    /// The script changed the encoding: what comes is not UTF-8.
    is_foreign: bool,
    /// Something of the last request was sent.
    sent: bool,
    /// How many bytes came since the last request.
    unasked: usize,
    /// Of the statement that was carried out last.
    pub(super) affected: u64,
    /// The server took the parameters of the statement that was sent last. Before that, nothing was carried out.
    pub(super) bound: bool,
    pub(super) types: Types,
    pub(super) target: Option<Target>,
    pub(super) key: Option<(i32, i32)>,
}

impl Client {
    /// One that is not logged in yet.
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            outbox: BytesMut::new(),
            inbox: Inbox::default(),
            running: true,
            closed: false,
            status: Status::Idle,
            last_words: None,
            is_foreign: false,
            sent: false,
            unasked: 0,
            affected: 0,
            bound: false,
            types: Types::default(),
            target: None,
            key: None,
        }
    }

    /// Whether something was sent and not all of its answer was read: its caller was cut.
    pub(crate) fn is_running(&self) -> bool {
        self.running
    }

    /// Whether anything of the last request was sent.
    pub(crate) fn has_sent(&self) -> bool {
        self.sent
    }

    /// What the server said of the transaction last.
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Whether it can't be used any more. Looks at what the server sent since the last request.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.closed || (!self.running && self.look().is_err())
    }

    /// Why the server ended the connection, if it said so.
    pub(crate) fn last_words(&self) -> Option<&Answer> {
        self.last_words.as_deref()
    }

    /// What it takes to cancel what is running.
    pub(crate) fn cancel_key(&self) -> Option<CancelKey> {
        let (process, secret) = self.key?;
        Some(CancelKey { target: self.target.clone()?, process, secret })
    }

    /// Runs statements, without parameters and for what they do. Returns the tag of the last, as `COMMIT`.
    pub(crate) async fn batch_execute(&mut self, sql: &str) -> Result<String> {
        self.begin()?;
        self.inbox.skips_rows = true;
        self.send(|out| frontend::query(sql, out)).await?;
        let mut tag = String::new();
        loop {
            match self.step(None).await? {
                Some(Received::Other(Message::CommandComplete(complete))) => {
                    tag = complete.tag().map_err(|_| self.garbled("a tag is not text"))?.to_owned();
                }
                Some(Received::Other(Message::RowDescription(_) | Message::EmptyQueryResponse)) => {}
                Some(_) => return Err(self.garbled("a message is not one of a batch")),
                None => return Ok(tag),
            }
        }
    }

    /// The values of a statement of ours, as text; it may give `most` rows.
    pub(super) async fn small_rows(&mut self, sql: &str, most: usize) -> Result<Vec<Vec<Option<Vec<u8>>>>> {
        self.begin()?;
        self.send(|out| frontend::query(sql, out)).await?;
        let mut rows = Vec::new();
        loop {
            match self.step(None).await? {
                Some(Received::Row(row)) if rows.len() < most => rows.push(values(&row)?),
                Some(Received::Other(Message::RowDescription(_) | Message::CommandComplete(_))) => {}
                Some(_) => return Err(self.garbled("a message is not one of a small answer")),
                None => return Ok(rows),
            }
        }
    }

    /// Begins a request.
    ///
    /// Fails when the server has ended the connection, with what it said of that.
    pub(super) fn begin(&mut self) -> Result<()> {
        self.sent = false;
        self.look()?;
        if self.running {
            return Err(self.garbled("the request before was cut"));
        }
        self.running = true;
        self.unasked = 0;
        self.inbox.begin();
        self.bound = false;
        Ok(())
    }

    /// The next message of an answer; none at its end. An error of the server is the last one, and the rest is passed over.
    pub(super) async fn step(&mut self, buffer: Option<&mut Buffer>) -> Result<Option<Received>> {
        match self.receive(buffer).await? {
            Received::Error(answer) => Err(self.refused(answer).await?),
            Received::Other(Message::ReadyForQuery(ready)) => {
                self.ready(ready.status())?;
                Ok(None)
            }
            received => Ok(Some(received)),
        }
    }

    /// Passes over what comes after an error.
    pub(super) async fn refused(&mut self, answer: Box<Answer>) -> Result<Error> {
        if !self.closed {
            self.pass_to_end().await?;
        }
        Ok(Error::Server(answer))
    }

    /// A message that is there already.
    pub(super) fn peek(&mut self) -> Result<Option<Received>> {
        if let Some(received) = self.take(None)? {
            return Ok(Some(received));
        }
        match self.poll_read(&mut Context::from_waker(Waker::noop()), None) {
            Poll::Pending => Ok(None),
            Poll::Ready(Ok(_)) => self.take(None),
            Poll::Ready(Err(error)) => Err(self.broken(error)),
        }
    }

    /// Reads the rest of an answer and keeps nothing.
    async fn pass_to_end(&mut self) -> Result<()> {
        self.inbox.skips_rows = true;
        loop {
            match self.receive(None).await? {
                Received::Other(Message::ReadyForQuery(ready)) => return self.ready(ready.status()),
                Received::Other(Message::CommandComplete(_)) => {}
                Received::Error(_) if !self.closed => {}
                _ => return Err(self.garbled("a message comes after an error")),
            }
        }
    }

    /// The answer has been read.
    pub(super) fn ready(&mut self, status: u8) -> Result<()> {
        self.status = match status {
            b'I' => Status::Idle,
            b'T' => Status::Open,
            b'E' => Status::Failed,
            _ => return Err(self.garbled("the state of the transaction is none")),
        };
        self.running = false;
        if self.is_foreign {
            return Err(self.garbled("client_encoding was changed, and what comes is not UTF-8"));
        }
        Ok(())
    }

    /// The server is not to be trusted with another message.
    pub(super) fn garbled(&mut self, what: &'static str) -> Error {
        self.closed = true;
        Error::protocol(what)
    }

    /// Sends messages. What comes meanwhile is read, so that the server does not wait for us as we do for it.
    pub(super) async fn send(&mut self, write: impl FnOnce(&mut BytesMut) -> io::Result<()>) -> Result<()> {
        self.sent = true;
        self.outbox.clear();
        write(&mut self.outbox)?;
        let sent = poll_fn(|context| self.poll_send(context)).await;
        if self.outbox.capacity() > SEND {
            self.outbox = BytesMut::new();
        }
        sent.map_err(|error| self.broken(error))
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        while !self.outbox.is_empty() {
            match Pin::new(&mut self.stream).poll_write(context, &self.outbox) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(Error::ended())),
                Poll::Ready(Ok(sent)) => self.outbox.advance(sent),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                Poll::Pending => {
                    while self.inbox.has_room()? {
                        ready!(self.poll_read(context, None))?;
                    }
                    return Poll::Pending;
                }
            }
        }
        Pin::new(&mut self.stream).poll_flush(context).map_err(Error::from)
    }

    fn poll_read(&mut self, context: &mut Context<'_>, buffer: Option<&mut Buffer>) -> Poll<Result<usize>> {
        let space = self.inbox.space(buffer);
        match ready!(poll_read_buf(Pin::new(&mut self.stream), context, space))? {
            0 => Poll::Ready(Err(Error::ended())),
            count => Poll::Ready(Ok(count)),
        }
    }

    /// The next message.
    pub(super) async fn receive(&mut self, mut buffer: Option<&mut Buffer>) -> Result<Received> {
        loop {
            if let Some(received) = self.take(buffer.as_deref_mut())? {
                return Ok(received);
            }
            let read = poll_fn(|context| self.poll_read(context, buffer.as_deref_mut())).await;
            read.map_err(|error| self.broken(error))?;
        }
    }

    /// The next message that is there. What the server may send at any time is taken note of here.
    fn take(&mut self, mut buffer: Option<&mut Buffer>) -> Result<Option<Received>> {
        loop {
            let taken = self.inbox.next(buffer.as_deref_mut()).inspect_err(|_| self.closed = true)?;
            match taken {
                Some(Received::Other(Message::ParameterStatus(parameter))) => self.note(&parameter)?,
                Some(Received::Error(answer)) => {
                    if answer.is_fatal() {
                        self.closed = true;
                        self.last_words = Some(answer.clone());
                    }
                    return Ok(Some(Received::Error(answer)));
                }
                taken => return Ok(taken),
            }
        }
    }

    /// Only what would make values something else is kept of the server's parameters.
    fn note(&mut self, parameter: &ParameterStatusBody) -> Result<()> {
        match (parameter.name(), parameter.value()) {
            (Ok("client_encoding"), Ok(encoding)) => {
                self.is_foreign = !["UTF8", "UTF-8", "UNICODE"].iter().any(|one| one.eq_ignore_ascii_case(encoding));
                Ok(())
            }
            (Ok("integer_datetimes"), Ok("off")) => {
                Err(self.garbled("the server counts times as floating-point numbers"))
            }
            (Ok(_), Ok(_)) => Ok(()),
            _ => Err(self.garbled("a parameter of the server is not text")),
        }
    }

    /// Looks at what came since the last request, without waiting.
    fn look(&mut self) -> Result<()> {
        let context = &mut Context::from_waker(Waker::noop());
        while !self.closed {
            match self.take(None)? {
                Some(Received::Error(_)) => {}
                Some(_) => return Err(self.garbled("a message comes unasked")),
                None => match self.poll_read(context, None) {
                    Poll::Pending => return Ok(()),
                    Poll::Ready(Err(error)) => return Err(self.broken(error)),
                    Poll::Ready(Ok(count)) => {
                        self.unasked += count;
                        if self.unasked > BETWEEN {
                            return Err(self.garbled("too much comes unasked"));
                        }
                    }
                },
            }
        }
        Err(self.broken(Error::ended()))
    }

    /// Why the connection broke: what the server said of it, if it did.
    fn broken(&mut self, error: Error) -> Error {
        if matches!(error, Error::Io(_)) && !self.closed {
            self.closed = true;
            let context = &mut Context::from_waker(Waker::noop());
            let mut most = BETWEEN;
            while self.last_words.is_none() && most > 0 {
                match self.take(None) {
                    Ok(Some(_)) => {}
                    Ok(None) => match self.poll_read(context, None) {
                        Poll::Ready(Ok(count)) => most = most.saturating_sub(count),
                        _ => break,
                    },
                    Err(_) => break,
                }
            }
        }
        self.closed = true;
        match &self.last_words {
            Some(answer) if matches!(error, Error::Io(_)) => Error::Server(answer.clone()),
            _ => error,
        }
    }

    /// Gives back what the answer needed of the read buffer.
    pub(super) fn release(&mut self, buffer: Option<&mut Buffer>) {
        self.inbox.shrink(buffer);
    }
}

/// The values of a row of ours.
fn values(row: &DataRow) -> Result<Vec<Option<Vec<u8>>>> {
    let mut raw = row.values();
    (0..row.columns).map(|_| Ok(take_value(&mut raw)?.map(<[u8]>::to_vec))).collect()
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.closed || self.running {
            return;
        }
        // The server need not wonder what became of us. One that takes nothing now learns of it by the end of the stream.
        let mut farewell = BytesMut::new();
        frontend::terminate(&mut farewell);
        let context = &mut Context::from_waker(Waker::noop());
        if Pin::new(&mut self.stream).poll_write(context, &farewell).is_ready() {
            let _flushed = Pin::new(&mut self.stream).poll_flush(context);
        }
    }
}
