//! Ctrl-C: what is under way comes to a good end.

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

/// How long an input takes to notice that it was interrupted.
const LOOK: Duration = Duration::from_millis(20);
const CHUNK_BYTES: usize = 64 << 10;
/// How many chunks are read ahead.
const CHUNKS: usize = 4;

/// How long somebody may take who has to come to an end.
pub(crate) const GRACE: Duration = Duration::from_millis(500);
/// The same for a sign of life, which is to go from the terminal.
pub(crate) const SHORT_GRACE: Duration = Duration::from_millis(50);

/// Whether a signal ends the program at once: for as long as nobody has anything to bring to an end.
static AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));

/// Lets SIGINT and SIGTERM end the program at once, with an exit status of its own. A workspace is whole whenever its
/// process ends.
pub(crate) fn ends_the_program() -> io::Result<()> {
    for number in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(number, Exit::Interrupted as i32, Arc::clone(&AT_ONCE))?;
    }
    Ok(())
}

/// Raises a flag at the first SIGINT or SIGTERM. The second ends the program at once, whatever it does.
pub(crate) fn raise(flag: &Arc<AtomicBool>) -> io::Result<()> {
    for number in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down and raises it.
        flag::register_conditional_shutdown(number, Exit::Interrupted as i32, Arc::clone(flag))?;
        flag::register(number, Arc::clone(flag))?;
    }
    AT_ONCE.store(false, Ordering::Release);
    Ok(())
}

/// A flag that is raised so.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, String> {
    let flag = Arc::default();
    raise(&flag).map_err(|error| format!("signals can't be heard: {error}"))?;
    Ok(flag)
}

/// A flag that is raised so, for who does something that can't be ended, such as writing to a reader that does not read:
/// if nobody else does it ends the program, a while later.
pub(crate) fn flag_with_grace(grace: Duration) -> Result<Arc<AtomicBool>, String> {
    let flag = flag()?;
    let raised = Arc::clone(&flag);
    let watch = move || {
        while !raised.load(Ordering::Acquire) {
            thread::sleep(LOOK);
        }
        thread::sleep(grace);
        process::exit(Exit::Interrupted as i32);
    };
    let started = thread::Builder::new().name("ghost-interrupt".into()).spawn(watch);
    started.map_err(|error| format!("signals can't be heard: {error}"))?;
    Ok(flag)
}

/// An input that fails once the flag is raised, where a plain one would wait for what never comes.
pub(crate) struct Input {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    /// How much of the chunk is read.
    read: usize,
    stop: Arc<AtomicBool>,
}

impl Input {
    /// What it reads from is opened on a thread of its own: to open a pipe is to wait for who writes to it.
    pub(crate) fn of<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS);
        let read = move || match open() {
            Ok(source) => read_ahead(source, &sender),
            // Nobody is left to be told when it can't be sent.
            Err(error) => drop(sender.send(Err(error))),
        };
        thread::Builder::new().name("ghost-input".into()).spawn(read)?;
        Ok(Self { chunks, chunk: Vec::new(), read: 0, stop: Arc::clone(stop) })
    }

    /// The next chunk; empty at the end.
    fn next(&self) -> io::Result<Vec<u8>> {
        loop {
            if self.stop.load(Ordering::Acquire) {
                return Err(io::Error::other("it was interrupted"));
            }
            match self.chunks.recv_timeout(LOOK) {
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
