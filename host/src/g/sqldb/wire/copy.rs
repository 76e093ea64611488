//! COPY: rows in bulk.

use bytes::Bytes;
use postgres_protocol::message::{
    backend::Message,
    frontend::{self, CopyData},
};

use super::{client::Client, error::Result, inbox::Received};
use crate::gate::ByteCounter;

impl Client {
    /// Begins `COPY … FROM STDIN`. A connection that is left before [`copy_end`](Self::copy_end) is
    /// running.
    pub(crate) async fn copy_in(&mut self, sql: &str) -> Result<()> {
        self.begin()?;
        self.send(|out| frontend::query(sql, out)).await?;
        match self.step(None).await? {
            Some(Received::Other(Message::CopyInResponse(_))) => Ok(()),
            _ => Err(self.protocol_error("the server does not take a copy")),
        }
    }

    /// Sends a part of the rows.
    ///
    /// Fails when the server has already refused one.
    pub(crate) async fn copy_send(&mut self, part: &[u8]) -> Result<()> {
        self.send(|out| {
            CopyData::new(part)?.write(out);
            Ok(())
        })
        .await?;
        match self.peek()? {
            None => Ok(()),
            Some(Received::Error(answer)) => Err(self.refused(answer).await?),
            Some(_) => Err(self.protocol_error("a message comes before the end of a copy")),
        }
    }

    /// Ends the copy. Returns how many rows were stored.
    pub(crate) async fn copy_end(&mut self) -> Result<u64> {
        self.send(|out| {
            frontend::copy_done(out);
            Ok(())
        })
        .await?;
        self.affected = 0;
        match self.row(None).await? {
            None => Ok(self.affected),
            Some(_) => Err(self.protocol_error("a row comes of a copy that was sent")),
        }
    }

    /// Begins `COPY … TO STDOUT`.
    pub(crate) async fn copy_out(&mut self, sql: &str) -> Result<()> {
        self.begin()?;
        self.send(|out| frontend::query(sql, out)).await?;
        match self.step(None).await? {
            Some(Received::Other(Message::CopyOutResponse(_))) => Ok(()),
            _ => Err(self.protocol_error("the server does not give a copy")),
        }
    }

    /// Returns the next part; None at the end. `counter` counts a long one while it is in memory.
    pub(crate) async fn copy_next(&mut self, mut counter: Option<&mut ByteCounter>) -> Result<Option<Bytes>> {
        loop {
            match self.step(counter.as_deref_mut()).await? {
                Some(Received::CopyData(part)) => return Ok(Some(part)),
                Some(Received::Other(Message::CopyDone | Message::CommandComplete(_))) => {}
                Some(_) => return Err(self.protocol_error("a message is not one of a copy")),
                None => {
                    self.release(counter);
                    return Ok(None);
                }
            }
        }
    }
}
