//! A server in this process, on a port of 127.0.0.1.

use std::{future::Future, sync::mpsc, thread};

use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Builder,
};

/// Starts a server that serves each connection in a task, and returns its port. It ends with the process.
///
/// # Panics
///
/// When no port is free.
pub fn listen<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> u16
where
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime for the server");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            sender.send(listener.local_addr().expect("the port is bound").port()).expect("the caller waits for it");
            loop {
                let (stream, _) = listener.accept().await.expect("the listener is open");
                tokio::spawn(serve(stream));
            }
        });
    });
    receiver.recv().expect("the server runs")
}
