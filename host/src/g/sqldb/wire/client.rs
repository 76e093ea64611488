//! A connection: sends requests, receives messages, and knows whether a request is running.

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
    error::{Error, ErrorResponse, Result},
    inbox::{DataRow, Inbox, Received, take_value},
    socket::{Stream, Target},
    types::Types,
};
use crate::gate::ByteCounter;

/// The most that a server may send between two requests, in bytes: notices, and why it ends the connection.
const MAX_UNSOLICITED: usize = 64 << 10;
/// The largest send buffer that is kept for the next request, in bytes.
const MAX_KEPT_CAPACITY: usize = 128 << 10;

/// The state of the transaction that the server reported last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is no transaction.
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
    closing_error: Option<Box<ErrorResponse>>,
    /// The script changed the encoding: what the server sends is not UTF-8.
    has_other_encoding: bool,
    /// Part of the last request was sent.
    sent: bool,
    /// The number of bytes that arrived since the last request ended.
    unsolicited: usize,
    /// The number of rows that the last statement touched or found.
    pub(super) affected: u64,
    /// The server accepted the parameters of the last statement. Before that, it has executed nothing.
    pub(super) bound: bool,
    pub(super) types: Types,
    pub(super) target: Option<Target>,
    pub(super) key: Option<(i32, i32)>,
}

impl Client {
    /// Returns a client that is not logged in yet.
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            outbox: BytesMut::new(),
            inbox: Inbox::default(),
            running: true,
            closed: false,
            status: Status::Idle,
            closing_error: None,
            has_other_encoding: false,
            sent: false,
            unsolicited: 0,
            affected: 0,
            bound: false,
            types: Types::default(),
            target: None,
            key: None,
        }
    }

    /// Whether a request was sent and its answer not read to the end: its caller was cancelled.
    pub(crate) fn is_running(&self) -> bool {
        self.running
    }

    /// Whether anything of the last request was sent.
    pub(crate) fn has_sent(&self) -> bool {
        self.sent
    }

    /// The state of the transaction that the server reported last.
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Whether the connection can't be used any more. Reads what the server sent since the last request.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.closed || (!self.running && self.look().is_err())
    }

    /// Why the server ended the connection, if it said so.
    pub(crate) fn closing_error(&self) -> Option<&ErrorResponse> {
        self.closing_error.as_deref()
    }

    /// The key that cancels the statement that is running.
    pub(crate) fn cancel_key(&self) -> Option<CancelKey> {
        let (process, secret) = self.key?;
        Some(CancelKey { target: self.target.clone()?, process, secret })
    }

    /// Runs statements without parameters and drops their rows. Returns the tag of the last one, such as `COMMIT`.
    pub(crate) async fn batch_execute(&mut self, sql: &str) -> Result<String> {
        self.begin()?;
        self.inbox.skips_rows = true;
        self.send(|out| frontend::query(sql, out)).await?;
        let mut tag = String::new();
        loop {
            match self.step(None).await? {
                Some(Received::Other(Message::CommandComplete(complete))) => {
                    tag = complete.tag().map_err(|_| self.protocol_error("a tag is not text"))?.to_owned();
                }
                Some(Received::Other(Message::RowDescription(_) | Message::EmptyQueryResponse)) => {}
                Some(_) => return Err(self.protocol_error("a message is not one of a batch")),
                None => return Ok(tag),
            }
        }
    }

    /// Runs a statement of ghost's own. Returns its values as text, of `most` rows at most.
    pub(super) async fn small_rows(&mut self, sql: &str, most: usize) -> Result<Vec<Vec<Option<Vec<u8>>>>> {
        self.begin()?;
        self.send(|out| frontend::query(sql, out)).await?;
        let mut rows = Vec::new();
        loop {
            match self.step(None).await? {
                Some(Received::Row(row)) if rows.len() < most => rows.push(values(&row)?),
                Some(Received::Other(Message::RowDescription(_) | Message::CommandComplete(_))) => {}
                Some(_) => return Err(self.protocol_error("a message is not one of a small answer")),
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
            return Err(self.protocol_error("the request before was cut"));
        }
        self.running = true;
        self.unsolicited = 0;
        self.inbox.begin();
        self.bound = false;
        Ok(())
    }

    /// Returns the next message of an answer; None at its end. After an error of the server, the rest is skipped.
    pub(super) async fn step(&mut self, counter: Option<&mut ByteCounter>) -> Result<Option<Received>> {
        match self.receive(counter).await? {
            Received::Error(answer) => Err(self.refused(answer).await?),
            Received::Other(Message::ReadyForQuery(ready)) => {
                self.ready(ready.status())?;
                Ok(None)
            }
            received => Ok(Some(received)),
        }
    }

    /// Skips the messages that follow an error.
    pub(super) async fn refused(&mut self, answer: Box<ErrorResponse>) -> Result<Error> {
        if !self.closed {
            self.pass_to_end().await?;
        }
        Ok(Error::Server(answer))
    }

    /// Returns a message that has arrived already.
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

    /// Reads the rest of an answer and drops it.
    async fn pass_to_end(&mut self) -> Result<()> {
        self.inbox.skips_rows = true;
        loop {
            match self.receive(None).await? {
                Received::Other(Message::ReadyForQuery(ready)) => return self.ready(ready.status()),
                Received::Other(Message::CommandComplete(_)) => {}
                Received::Error(_) if !self.closed => {}
                _ => return Err(self.protocol_error("a message comes after an error")),
            }
        }
    }

    /// Ends the request: its answer has been read.
    pub(super) fn ready(&mut self, status: u8) -> Result<()> {
        self.status = match status {
            b'I' => Status::Idle,
            b'T' => Status::Open,
            b'E' => Status::Failed,
            _ => return Err(self.protocol_error("the state of the transaction is none")),
        };
        self.running = false;
        if self.has_other_encoding {
            return Err(self.protocol_error("client_encoding was changed, and what comes is not UTF-8"));
        }
        Ok(())
    }

    /// Closes the connection: the server violated the protocol.
    pub(super) fn protocol_error(&mut self, what: &'static str) -> Error {
        self.closed = true;
        Error::protocol(what)
    }

    /// Sends messages. Reads what arrives meanwhile, since a server that can't send may not receive either.
    pub(super) async fn send(&mut self, write: impl FnOnce(&mut BytesMut) -> io::Result<()>) -> Result<()> {
        self.sent = true;
        self.outbox.clear();
        write(&mut self.outbox)?;
        let sent = poll_fn(|context| self.poll_send(context)).await;
        if self.outbox.capacity() > MAX_KEPT_CAPACITY {
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

    fn poll_read(&mut self, context: &mut Context<'_>, counter: Option<&mut ByteCounter>) -> Poll<Result<usize>> {
        let space = self.inbox.space(counter);
        match ready!(poll_read_buf(Pin::new(&mut self.stream), context, space))? {
            0 => Poll::Ready(Err(Error::ended())),
            count => Poll::Ready(Ok(count)),
        }
    }

    /// The next message.
    pub(super) async fn receive(&mut self, mut counter: Option<&mut ByteCounter>) -> Result<Received> {
        loop {
            if let Some(received) = self.take(counter.as_deref_mut())? {
                return Ok(received);
            }
            let read = poll_fn(|context| self.poll_read(context, counter.as_deref_mut())).await;
            read.map_err(|error| self.broken(error))?;
        }
    }

    /// Returns the next message that has arrived. Handles those that the server may send at any time.
    fn take(&mut self, mut counter: Option<&mut ByteCounter>) -> Result<Option<Received>> {
        loop {
            let taken = self.inbox.next(counter.as_deref_mut()).inspect_err(|_| self.closed = true)?;
            match taken {
                Some(Received::Other(Message::ParameterStatus(parameter))) => self.note(&parameter)?,
                Some(Received::Error(answer)) => {
                    if answer.is_fatal() {
                        self.closed = true;
                        self.closing_error = Some(answer.clone());
                    }
                    return Ok(Some(Received::Error(answer)));
                }
                taken => return Ok(taken),
            }
        }
    }

    /// Tracks the parameters of the server that change how it writes values.
    fn note(&mut self, parameter: &ParameterStatusBody) -> Result<()> {
        match (parameter.name(), parameter.value()) {
            (Ok("client_encoding"), Ok(encoding)) => {
                self.has_other_encoding =
                    !["UTF8", "UTF-8", "UNICODE"].iter().any(|one| one.eq_ignore_ascii_case(encoding));
                Ok(())
            }
            (Ok("integer_datetimes"), Ok("off")) => {
                Err(self.protocol_error("the server counts times as floating-point numbers"))
            }
            (Ok(_), Ok(_)) => Ok(()),
            _ => Err(self.protocol_error("a parameter of the server is not text")),
        }
    }

    /// Reads what arrived since the last request, without waiting.
    fn look(&mut self) -> Result<()> {
        let context = &mut Context::from_waker(Waker::noop());
        while !self.closed {
            match self.take(None)? {
                Some(Received::Error(_)) => {}
                Some(_) => return Err(self.protocol_error("an unsolicited message arrived")),
                None => match self.poll_read(context, None) {
                    Poll::Pending => return Ok(()),
                    Poll::Ready(Err(error)) => return Err(self.broken(error)),
                    Poll::Ready(Ok(count)) => {
                        self.unsolicited += count;
                        if self.unsolicited > MAX_UNSOLICITED {
                            return Err(self.protocol_error("the server sent too much that was not requested"));
                        }
                    }
                },
            }
        }
        Err(self.broken(Error::ended()))
    }

    /// Why the connection broke: the server's own reason, if it gave one.
    fn broken(&mut self, error: Error) -> Error {
        if matches!(error, Error::Io(_)) && !self.closed {
            self.closed = true;
            let context = &mut Context::from_waker(Waker::noop());
            let mut most = MAX_UNSOLICITED;
            while self.closing_error.is_none() && most > 0 {
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
        match &self.closing_error {
            Some(answer) if matches!(error, Error::Io(_)) => Error::Server(answer.clone()),
            _ => error,
        }
    }

    /// Frees what the answer needed of the read buffer.
    pub(super) fn release(&mut self, counter: Option<&mut ByteCounter>) {
        self.inbox.shrink(counter);
    }
}

/// The values of a row of ghost's own statement.
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
