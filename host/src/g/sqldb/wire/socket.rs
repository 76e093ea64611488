//! Sockets to a server, with TLS or without.

use std::{io, net::SocketAddr, path::PathBuf};

use rustls::pki_types::ServerName;
use sha2::{Digest, Sha256, Sha384, Sha512};
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpStream, UnixStream},
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use x509_cert::{
    Certificate,
    der::{
        Decode,
        oid::db::rfc5912::{
            ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, SHA_1_WITH_RSA_ENCRYPTION, SHA_256_WITH_RSA_ENCRYPTION,
            SHA_384_WITH_RSA_ENCRYPTION, SHA_512_WITH_RSA_ENCRYPTION,
        },
    },
};

use super::{
    config::{Config, Keepalives, SslMode, SslNegotiation},
    error::{Error, Result},
};
use crate::g::sqldb::tls::Tls;

/// What a connection speaks through.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> Io for S {}

pub(super) type Stream = Box<dyn Io>;

/// A server, or one of its addresses.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Tcp {
        address: SocketAddr,
        /// What its certificate is for.
        name: String,
    },
    /// A socket of this machine, where there is no TLS.
    Unix(PathBuf),
}

/// A stream on which the first message can be sent.
pub(super) struct Opened {
    pub(super) stream: Stream,
    /// What SCRAM binds a login to, with TLS: a hash of the server's certificate.
    pub(super) end_point: Option<Vec<u8>>,
}

impl Target {
    /// Connects, with TLS as the configuration asks.
    pub(super) async fn open(&self, config: &Config, tls: &Tls) -> Result<Opened> {
        match self {
            Self::Tcp { address, name } => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                let socket = SockRef::from(&stream);
                socket.set_tcp_user_timeout(config.tcp_user_timeout)?;
                if let Some(keepalives) = &config.keepalives {
                    socket.set_tcp_keepalive(&packets(keepalives))?;
                }
                secured(stream, name, config, tls).await
            }
            Self::Unix(path) => Ok(Opened { stream: Box::new(UnixStream::connect(path).await?), end_point: None }),
        }
    }
}

fn packets(keepalives: &Keepalives) -> TcpKeepalive {
    // As libpq has it: 0 is what the system has.
    let mut packets = match keepalives.idle.is_zero() {
        true => TcpKeepalive::new(),
        false => TcpKeepalive::new().with_time(keepalives.idle),
    };
    if let Some(interval) = keepalives.interval {
        packets = packets.with_interval(interval);
    }
    if let Some(retries) = keepalives.retries {
        packets = packets.with_retries(retries);
    }
    packets
}

async fn secured(mut stream: TcpStream, name: &str, config: &Config, tls: &Tls) -> Result<Opened> {
    let is_direct = config.ssl_negotiation == SslNegotiation::Direct;
    match config.ssl_mode {
        SslMode::Disable => return Ok(Opened { stream: Box::new(stream), end_point: None }),
        SslMode::Prefer if is_direct => {
            return Err(Error::Unsupported("sslnegotiation=direct needs sslmode=require or more"));
        }
        SslMode::Prefer | SslMode::Require => {}
    }
    if !is_direct && !has_tls(&mut stream).await? {
        return match config.ssl_mode {
            SslMode::Require => Err(Error::Unsupported("the server has no TLS")),
            _ => Ok(Opened { stream: Box::new(stream), end_point: None }),
        };
    }
    let name =
        ServerName::try_from(name.to_owned()).map_err(|_| Error::from(io::Error::from(io::ErrorKind::NotFound)))?;
    let stream = TlsConnector::from(tls.config(is_direct)).connect(name, stream).await?;
    let end_point = end_point(&stream);
    Ok(Opened { stream: Box::new(stream), end_point })
}

/// Asks for TLS. Nothing but the one byte is read: what a stranger puts behind it would be taken for the server's.
async fn has_tls(stream: &mut TcpStream) -> Result<bool> {
    let mut request = bytes::BytesMut::new();
    postgres_protocol::message::frontend::ssl_request(&mut request);
    stream.write_all(&request).await?;
    match stream.read_u8().await? {
        b'S' => Ok(true),
        b'N' => Ok(false),
        _ => Err(Error::protocol("the answer to the request for TLS is neither yes nor no")),
    }
}

/// `tls-server-end-point` of RFC 5929; none for a certificate whose signature has no hash of its own.
fn end_point<S>(stream: &TlsStream<S>) -> Option<Vec<u8>> {
    let certificate = stream.get_ref().1.peer_certificates()?.first()?;
    let algorithm = Certificate::from_der(certificate).ok()?.signature_algorithm.oid;
    match algorithm {
        SHA_1_WITH_RSA_ENCRYPTION | SHA_256_WITH_RSA_ENCRYPTION | ECDSA_WITH_SHA_256 => {
            Some(Sha256::digest(certificate).to_vec())
        }
        SHA_384_WITH_RSA_ENCRYPTION | ECDSA_WITH_SHA_384 => Some(Sha384::digest(certificate).to_vec()),
        SHA_512_WITH_RSA_ENCRYPTION => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}
