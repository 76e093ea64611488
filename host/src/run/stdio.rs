//! Standard output and standard error of a component, which become lines of the console.

use std::{
    mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    async_trait,
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

use crate::{Level, console::Console};

/// The number of bytes beyond which an unfinished line is written without waiting for its end.
const LINE_BYTES: usize = 64 << 10;

/// A stream whose lines go to the console at one level. All its handles write to the same line.
pub(super) struct Stdio(Lines);

impl Stdio {
    pub(super) fn of(console: Console, level: Level) -> Self {
        Self(Lines(Arc::new(Line { console, level, bytes: Mutex::default() })))
    }
}

impl IsTerminal for Stdio {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stdio {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.0.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.0.clone())
    }
}

/// A handle of the stream.
#[derive(Clone)]
struct Lines(Arc<Line>);

/// The unfinished line: the bytes that were written since the last end of a line.
struct Line {
    console: Console,
    level: Level,
    bytes: Mutex<Vec<u8>>,
}

impl Line {
    fn push(&self, bytes: &[u8]) {
        let mut line = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            for part in part.chunks(LINE_BYTES) {
                line.extend_from_slice(part);
                if part.ends_with(b"\n") || line.len() > LINE_BYTES {
                    self.end(&mut line);
                }
            }
        }
    }

    fn end(&self, line: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(line);
        self.console.write(self.level, text.trim_end_matches('\n').into());
        line.clear();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let mut line = mem::take(self.bytes.get_mut().unwrap_or_else(PoisonError::into_inner));
        if !line.is_empty() {
            self.end(&mut line);
        }
    }
}

#[async_trait]
impl Pollable for Lines {
    async fn ready(&mut self) {}
}

impl OutputStream for Lines {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.0.push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(LINE_BYTES)
    }
}

impl AsyncWrite for Lines {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.0.push(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
