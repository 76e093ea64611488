//! A proxy in front of a server that simulates the faults of a network.

use std::{
    future::pending,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::sleep,
};

use super::listener::listen;

/// The fault of every connection, including those that are already open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It is closed as soon as it is opened.
    Refuse,
    /// After this many bytes from the server, nothing more arrives.
    StallAt(usize),
    /// After this many bytes from the server, it is reset.
    ResetAt(usize),
    /// After this many bytes from the server, that direction is closed; the other one stays open.
    HalfCloseAt(usize),
    /// After this many bytes from the client, it is reset, and the server sees its end.
    ResetSendingAt(usize),
    /// After this many bytes from the client, nothing more reaches the server.
    StallSendingAt(usize),
    /// Everything from the server is delayed by this time.
    Slow(Duration),
    /// The server's first bytes are invalid.
    Garbage,
}

/// The fault, and how often the count of bytes was restarted.
#[derive(Clone, Copy, Default)]
struct Now {
    fault: Fault,
    restarts: u64,
}

/// A proxy on a port of its own.
pub struct Proxy {
    /// On 127.0.0.1.
    pub port: u16,
    now: Arc<Mutex<Now>>,
    delays: Arc<AtomicUsize>,
}

impl Proxy {
    /// One in front of a port of 127.0.0.1. It ends with the process.
    ///
    /// # Panics
    ///
    /// When no port is free.
    pub fn before(port: u16) -> Self {
        let (now, delays) = (Arc::new(Mutex::new(Now::default())), Arc::<AtomicUsize>::default());
        let (shared, count) = (Arc::clone(&now), Arc::clone(&delays));
        let server = ([127, 0, 0, 1], port).into();
        let port = listen(move |client| serve(client, server, Arc::clone(&shared), Arc::clone(&count)));
        Self { port, now, delays }
    }

    /// How often something from the server was delayed by [`Fault::Slow`].
    pub fn delays(&self) -> usize {
        self.delays.load(Ordering::Relaxed)
    }

    /// Sets the fault from now on. Its place is counted from the beginning of each connection.
    pub fn set(&self, fault: Fault) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).fault = fault;
    }

    /// Sets the fault from now on. Its place is counted from here on also on the connections that are open.
    pub fn set_from_here(&self, fault: Fault) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Now { fault, restarts: now.restarts + 1 };
    }
}

async fn serve(mut client: TcpStream, server: SocketAddr, shared: Arc<Mutex<Now>>, delays: Arc<AtomicUsize>) {
    let now = || *shared.lock().unwrap_or_else(PoisonError::into_inner);
    match now().fault {
        Fault::Refuse => return,
        Fault::Garbage => {
            // Whether it arrives is for the client to say.
            let _ = client.write_all(&[0xA5; 64]).await;
            sleep(Duration::from_secs(60)).await;
            return;
        }
        _ => {}
    }
    let Ok(server) = TcpStream::connect(server).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let there = async {
        there(from_client, to_server, now).await;
        // An end of the client is no reason to end: the server may still answer.
        if !matches!(now().fault, Fault::ResetSendingAt(_)) {
            pending::<()>().await;
        }
    };
    tokio::select! {
        () = there => {}
        () = back(from_server, to_client, now, &delays) => {}
    }
}

/// How many bytes have passed in one direction since the count began.
struct Passed {
    bytes: usize,
    restarts: u64,
}

impl Passed {
    fn new(now: Now) -> Self {
        Self { bytes: 0, restarts: now.restarts }
    }

    /// Returns the fault, after restarting the count if it was set so.
    fn fault_of(&mut self, now: Now) -> Fault {
        if now.restarts != self.restarts {
            *self = Self::new(now);
        }
        now.fault
    }
}

/// Copies what the client sends, subject to the fault.
async fn there(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, now: impl Fn() -> Now) {
    let (mut passed, mut piece) = (Passed::new(now()), vec![0; 16 << 10]);
    loop {
        let Ok(length @ 1..) = from.read(&mut piece).await else { return };
        let limit = match passed.fault_of(now()) {
            Fault::ResetSendingAt(at) | Fault::StallSendingAt(at) => at,
            _ => usize::MAX,
        };
        let allowed = length.min(limit.saturating_sub(passed.bytes));
        if to.write_all(&piece[..allowed]).await.is_err() {
            return;
        }
        passed.bytes += allowed;
        if allowed < length {
            if let Fault::StallSendingAt(_) = now().fault {
                sleep(Duration::from_secs(60)).await;
            }
            let _ = from.as_ref().set_zero_linger();
            return;
        }
    }
}

/// Copies what the server sends, subject to the fault.
async fn back(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, now: impl Fn() -> Now, delays: &AtomicUsize) {
    let (mut passed, mut piece) = (Passed::new(now()), vec![0; 16 << 10]);
    loop {
        let Ok(length @ 1..) = from.read(&mut piece).await else { return };
        let limit = match passed.fault_of(now()) {
            Fault::None | Fault::ResetSendingAt(_) | Fault::StallSendingAt(_) => usize::MAX,
            Fault::Slow(time) => {
                sleep(time).await;
                delays.fetch_add(1, Ordering::Relaxed);
                usize::MAX
            }
            Fault::Refuse | Fault::Garbage => 0,
            Fault::StallAt(at) | Fault::ResetAt(at) | Fault::HalfCloseAt(at) => at,
        };
        let allowed = length.min(limit.saturating_sub(passed.bytes));
        if to.write_all(&piece[..allowed]).await.is_err() {
            return;
        }
        passed.bytes += allowed;
        if allowed < length {
            return cut(to, now().fault).await;
        }
    }
}

async fn cut(mut to: OwnedWriteHalf, fault: Fault) {
    match fault {
        Fault::ResetAt(_) => {
            // Closed with nothing left to send, it is a reset.
            let _ = to.as_ref().set_zero_linger();
            to.forget();
        }
        Fault::HalfCloseAt(_) => {
            let _ = to.shutdown().await;
            sleep(Duration::from_secs(60)).await;
        }
        Fault::Refuse => {}
        _ => sleep(Duration::from_secs(60)).await,
    }
}
