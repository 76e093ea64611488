//! The protocol over HTTP (streamable HTTP), for clients that don't start the server themselves.
//!
//! Each request needs the token. The headers `Host` and `Origin` are checked too, so that a web page that a browser shows
//! can't reach the server, whatever name it gives the address (DNS rebinding).

mod gateway;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use clap::Args;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::sync::CancellationToken;

use super::{server::Server, token::Token};
use crate::cli::report;
use gateway::Gateway;

/// The most connections; further ones wait.
const CONNECTIONS: usize = 128;
/// How long a connection may take to send the headers of its next request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait when no connection can be accepted, because the process has too many files open.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

#[derive(Args)]
pub(crate) struct HttpArgs {
    /// Serves clients over HTTP on an address: 8000, 127.0.0.1:8000, [::1]:8000; port 0 is any free one. The path is /mcp.
    /// Clients need a token: that of --token-file, or GHOST_MCP_TOKEN, or the one that the server prints
    #[arg(long, value_name = "ADDR", value_parser = address)]
    http: Option<SocketAddr>,
    /// The file that contains the token of the clients
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Allows an address that other machines can reach. The connection is not encrypted: use it behind a proxy with TLS
    #[arg(long, requires = "http")]
    allow_remote: bool,
    /// A further name of this server that requests may have in their Host header, such as that of a proxy
    #[arg(long, value_name = "NAME", requires = "http")]
    allow_host: Vec<String>,
}

/// Where to serve, and for whom.
pub(super) struct Endpoint {
    address: SocketAddr,
    hosts: Vec<String>,
    token: Token,
    /// The token, if it was generated.
    shown: Option<String>,
}

/// `8000`, `127.0.0.1:8000`, `[::1]:8000`, `localhost:8000`
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    let local = port.parse().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    local.or_else(|_| text.parse()).map_err(|_| "an address is written as 8000, 127.0.0.1:8000 or [::1]:8000".into())
}

impl HttpArgs {
    /// Returns where to serve; none for standard input and output.
    pub(super) fn endpoint(&self) -> Result<Option<Endpoint>, String> {
        let Some(address) = self.http else { return Ok(None) };
        if !address.ip().is_loopback() && !self.allow_remote {
            return Err(format!(
                "--http {address}: other machines can reach this address; to allow it: --allow-remote"
            ));
        }
        let (token, shown) = Token::read(self.token_file.as_deref())?;
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".into(), "::1".into()];
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        hosts.extend(self.allow_host.iter().cloned());
        Ok(Some(Endpoint { address, hosts, token, shown }))
    }
}

/// Serves clients until `stop` is cancelled.
pub(super) async fn serve(server: Server, endpoint: Endpoint, stop: CancellationToken) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("--http {}: {error}", endpoint.address);
    let listener = TcpListener::bind(endpoint.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    report::note(&format!("listening on http://{address}/mcp"));
    if let Some(token) = &endpoint.shown {
        report::note(&format!("token: {token}"));
    }
    let gateway = Gateway::new(server, endpoint.token, endpoint.hosts, address.port(), stop.clone());
    let (gateway, places) = (Arc::new(gateway), Arc::new(Semaphore::new(CONNECTIONS)));
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            accepted = accept(&listener, &places) => accepted,
        };
        let Some((stream, place)) = accepted else { continue };
        let (gateway, stop) = (Arc::clone(&gateway), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = connection(gateway, stream) => {}
                () = stop.cancelled() => {}
            }
            drop(place);
        });
    }
}

/// Accepts a connection as soon as there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            tracing::warn!("a connection can't be accepted: {error}");
            tokio::time::sleep(ACCEPT_RETRY).await;
            None
        }
    }
}

async fn connection(gateway: Arc<Gateway>, stream: TcpStream) {
    // The answers are small, and a client waits for each.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("{error}");
    }
    let answer = service_fn(move |request| {
        let gateway = Arc::clone(&gateway);
        async move { Ok::<_, std::convert::Infallible>(gateway.answer(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(64 << 10);
    if let Err(error) = builder.serve_connection(TokioIo::new(stream), answer).await {
        tracing::debug!("a connection failed: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_host_is_local() {
        for (text, expected) in [
            ("8000", "127.0.0.1:8000"),
            ("localhost:8000", "127.0.0.1:8000"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:8000", "[::1]:8000"),
            ("0.0.0.0:8000", "0.0.0.0:8000"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), expected);
        }
        for text in ["", "host", "example.com:80", "127.0.0.1", "70000", ":80", "localhost"] {
            assert!(address(text).unwrap_err().contains("8000"), "{text}");
        }
    }
}
