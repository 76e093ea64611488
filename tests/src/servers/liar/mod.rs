//! Servers that lie: they answer honestly (`postgres.rs`), but deviate from the protocol at one point of a conversation. This
//! module has the deviations that all protocols share: a connection that stalls, drips, floods, is cut or reset.
//!
//! A conversation depends only on its seed, so a failing one can be repeated.

pub mod postgres;

use std::{future::Future, io, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep, timeout},
};

use super::listener::listen;

/// How long an impatient server waits, and how long it sends an endless answer.
const IMPATIENT: Duration = Duration::from_millis(500);
/// A patient one outlasts every test.
const PATIENT: Duration = Duration::from_secs(600);
/// How much an impatient one floods with, in bytes.
const FLOOD: usize = 256 << 20;

/// Starts a server on a port of 127.0.0.1, which is returned; it ends with the process. `serve` has one conversation.
///
/// # Panics
///
/// When no port is free.
pub fn start<F>(serve: fn(Line) -> F) -> u16
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    listen(move |stream| {
        let conversation = serve(Line { stream, patience: IMPATIENT, out: Vec::new() });
        // Most conversations end with an error: the client has had enough.
        async move { drop(conversation.await) }
    })
}

/// One connection.
pub struct Line {
    stream: TcpStream,
    patience: Duration,
    /// Bytes to send before the next read.
    out: Vec<u8>,
}

impl Line {
    /// From now on it waits as long as the other side.
    pub fn be_patient(&mut self) {
        self.patience = PATIENT;
    }

    /// Reads this number of bytes.
    pub async fn read(&mut self, length: usize) -> io::Result<Vec<u8>> {
        self.flush().await?;
        let mut bytes = vec![0; length];
        timeout(self.patience, self.stream.read_exact(&mut bytes)).await??;
        Ok(bytes)
    }

    /// Sends bytes, at the latest when something is read.
    pub async fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.extend_from_slice(bytes);
        if self.out.len() > 64 << 10 { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> io::Result<()> {
        timeout(self.patience, self.stream.write_all(&self.out)).await??;
        self.out.clear();
        Ok(())
    }

    /// Sends pieces until `length` bytes are sent, or without a length for ever: until the other side or its own patience ends.
    pub async fn flood(&mut self, length: Option<usize>, mut piece: impl FnMut(usize) -> Vec<u8>) -> io::Result<()> {
        let until = Instant::now() + self.patience;
        let most = if self.patience == PATIENT { usize::MAX } else { FLOOD };
        let (mut sent, mut number) = (0, 0);
        while sent < most.min(length.unwrap_or(usize::MAX)) && Instant::now() < until {
            let piece = piece(number);
            sent += piece.len();
            number += 1;
            self.say(&piece).await?;
        }
        match length.is_some_and(|length| sent >= length) {
            true => Ok(()),
            false => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Sends a byte at a time.
    pub async fn drip(&mut self, bytes: &[u8]) -> io::Result<()> {
        let until = Instant::now() + self.patience;
        for byte in bytes.iter().cycle() {
            if Instant::now() > until {
                break;
            }
            self.say(&[*byte]).await?;
            self.flush().await?;
            sleep(Duration::from_millis(5)).await;
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// Sends nothing more, and reads everything that the client sends.
    pub async fn stall(&mut self) -> io::Result<()> {
        loop {
            self.read(1).await?;
        }
    }

    /// Ends the connection in the middle of everything.
    pub async fn reset(&mut self) -> io::Result<()> {
        self.flush().await?;
        self.stream.set_zero_linger()?;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}
