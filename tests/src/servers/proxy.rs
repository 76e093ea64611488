//! A proxy in front of a server that simulates the faults of a network.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
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
    /// Everything from the server is delayed by this time.
    Slow(Duration),
    /// The server's first bytes are invalid.
    Garbage,
}

/// A proxy on a port of its own.
pub struct Proxy {
    /// On 127.0.0.1.
    pub port: u16,
    fault: Arc<Mutex<Fault>>,
}

impl Proxy {
    /// One in front of a port of 127.0.0.1. It ends with the process.
    ///
    /// # Panics
    ///
    /// When no port is free.
    pub fn before(port: u16) -> Self {
        let fault = Arc::new(Mutex::new(Fault::None));
        let shared = Arc::clone(&fault);
        let port = listen(move |client| serve(client, ([127, 0, 0, 1], port).into(), Arc::clone(&shared)));
        Self { port, fault }
    }

    /// Sets the fault from now on.
    pub fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }
}

async fn serve(mut client: TcpStream, server: SocketAddr, fault: Arc<Mutex<Fault>>) {
    let now = || *fault.lock().unwrap_or_else(PoisonError::into_inner);
    match now() {
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
    let there = tokio::spawn(copy(from_client, to_server));
    back(from_server, to_client, now).await;
    there.abort();
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    // An end on either side ends it.
    let _ = tokio::io::copy(&mut from, &mut to).await;
}

/// Copies what the server sends, subject to the fault.
async fn back(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, now: impl Fn() -> Fault) {
    let (mut passed, mut piece) = (0, vec![0; 16 << 10]);
    loop {
        let Ok(length @ 1..) = from.read(&mut piece).await else { return };
        let limit = match now() {
            Fault::None => usize::MAX,
            Fault::Slow(time) => {
                sleep(time).await;
                usize::MAX
            }
            Fault::Refuse | Fault::Garbage => 0,
            Fault::StallAt(at) | Fault::ResetAt(at) | Fault::HalfCloseAt(at) => at,
        };
        let allowed = length.min(limit.saturating_sub(passed));
        if to.write_all(&piece[..allowed]).await.is_err() {
            return;
        }
        passed += allowed;
        if allowed < length {
            return cut(to, now()).await;
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
