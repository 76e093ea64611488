//! Handles SIGINT (Ctrl-C) and SIGTERM.

use std::{
    io::{self, Read},
    process,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use super::Exit;

/// How often a waiting thread checks the interrupt flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const CHUNK_BYTES: usize = 64 << 10;
/// The number of chunks to read ahead.
const CHUNKS: usize = 4;

/// How long a command may take to end after a signal.
pub(crate) const GRACE: Duration = Duration::from_millis(500);
/// How long a spinner may take to disappear after a signal.
pub(crate) const SHORT_GRACE: Duration = Duration::from_millis(50);

/// Whether a signal ends the program at once: true until a command registers a flag.
static EXITS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));

/// Makes SIGINT and SIGTERM end the program at once, with exit status 130. A workspace is consistent whenever its
/// process ends.
pub(crate) fn exit_on_signal() -> io::Result<()> {
    for number in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(number, Exit::Interrupted as i32, Arc::clone(&EXITS_AT_ONCE))?;
    }
    Ok(())
}

/// Sets a flag at the first SIGINT or SIGTERM. The second one ends the program at once.
pub(crate) fn set_on_signal(flag: &Arc<AtomicBool>) -> io::Result<()> {
    for number in [SIGINT, SIGTERM] {
        // In this order, the first signal finds the flag unset and sets it.
        flag::register_conditional_shutdown(number, Exit::Interrupted as i32, Arc::clone(flag))?;
        flag::register(number, Arc::clone(flag))?;
    }
    EXITS_AT_ONCE.store(false, Ordering::Release);
    Ok(())
}

/// Returns a flag that the first SIGINT or SIGTERM sets.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, String> {
    let flag = Arc::default();
    set_on_signal(&flag).map_err(|error| format!("signal handlers can't be installed: {error}"))?;
    Ok(flag)
}

/// Returns a flag that the first SIGINT or SIGTERM sets, for a command that may block, for example in a write to a pipe
/// that nobody reads. A thread ends the program when `grace` has passed after the signal.
pub(crate) fn flag_with_grace(grace: Duration) -> Result<Arc<AtomicBool>, String> {
    flag_with_last_words(grace, || {})
}

/// As `flag_with_grace`; the thread calls `last_words` before it ends the program.
pub(crate) fn flag_with_last_words(
    grace: Duration,
    last_words: impl FnOnce() + Send + 'static,
) -> Result<Arc<AtomicBool>, String> {
    let flag = flag()?;
    let is_set = Arc::clone(&flag);
    let watch = move || {
        while !is_set.load(Ordering::Acquire) {
            thread::sleep(POLL_INTERVAL);
        }
        thread::sleep(grace);
        last_words();
        process::exit(Exit::Interrupted as i32);
    };
    let started = thread::Builder::new().name("ghost-interrupt".into()).spawn(watch);
    started.map_err(|error| format!("signal handlers can't be installed: {error}"))?;
    Ok(flag)
}

/// A reader that fails when the flag is set, where a plain one would block.
pub(crate) struct Input {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    /// The number of bytes of the chunk that were returned.
    read: usize,
    stop: Arc<AtomicBool>,
}

impl Input {
    /// Creates a reader. A separate thread opens the source, because opening a FIFO blocks until a writer opens it.
    pub(crate) fn of<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS);
        let read = move || match open() {
            Ok(source) => read_ahead(source, &sender),
            // Sending fails only if the reader was dropped.
            Err(error) => drop(sender.send(Err(error))),
        };
        thread::Builder::new().name("ghost-input".into()).spawn(read)?;
        Ok(Self { chunks, chunk: Vec::new(), read: 0, stop: Arc::clone(stop) })
    }

    /// Returns the next chunk; an empty one at the end.
    fn next(&self) -> io::Result<Vec<u8>> {
        loop {
            if self.stop.load(Ordering::Acquire) {
                return Err(io::Error::other("interrupted"));
            }
            match self.chunks.recv_timeout(POLL_INTERVAL) {
                Ok(chunk) => return chunk,
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn read_ahead(mut source: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = match source.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                chunk.truncate(length);
                Ok(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = read.is_err();
        if sender.send(read).is_err() || failed {
            return;
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.chunk.len() {
            (self.chunk, self.read) = (self.next()?, 0);
        }
        let length = (&self.chunk[self.read..]).read(buffer)?;
        self.read += length;
        Ok(length)
    }
}
