//! Connects: tries one host after the other, and each of its addresses.

use std::{io, net::SocketAddr};

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::lookup_host,
    time::timeout,
};

use super::{
    client::Client,
    config::{Config, Host, LoadBalanceHosts, TargetSessionAttrs},
    error::{Error, Result},
    login::login,
    socket::Target,
};
use crate::g::sqldb::tls::Tls;

/// Connects to the first host that accepts the login and fits `target_session_attrs`.
///
/// Fails with the error of the last host.
pub(crate) async fn connect(config: &Config, tls: &Tls) -> Result<Client> {
    let mut places: Vec<_> = (0..config.places()).collect();
    if config.load_balance_hosts == LoadBalanceHosts::Random {
        fastrand::shuffle(&mut places);
    }
    let mut last = Error::Io(io::ErrorKind::NotFound.into());
    for place in places {
        let connecting = async {
            let mut last = Error::Io(io::ErrorKind::NotFound.into());
            for target in targets(config, place).await? {
                match connect_once(&target, config, tls).await {
                    Ok(client) => return Ok(client),
                    Err(error) => last = error,
                }
            }
            Err(last)
        };
        match timeout(config.connect_timeout, connecting).await {
            Ok(Ok(client)) => return Ok(client),
            Ok(Err(error)) => last = error,
            Err(_) => last = Error::Io(io::ErrorKind::TimedOut.into()),
        }
    }
    Err(last)
}

/// The addresses of a host.
async fn targets(config: &Config, place: usize) -> Result<Vec<Target>> {
    let port = config.port(place);
    let host = config.hosts.get(place);
    if let Some(address) = config.addresses.get(place) {
        let name = match host {
            Some(Host::Tcp(name)) => name.clone(),
            _ => address.to_string(),
        };
        return Ok(vec![Target::Tcp { address: SocketAddr::new(*address, port), name }]);
    }
    match host {
        Some(Host::Tcp(name)) => {
            let mut found: Vec<_> = lookup_host((name.as_str(), port)).await?.collect();
            if config.load_balance_hosts == LoadBalanceHosts::Random {
                fastrand::shuffle(&mut found);
            }
            Ok(found.into_iter().map(|address| Target::Tcp { address, name: name.clone() }).collect())
        }
        Some(Host::Unix(folder)) => Ok(vec![Target::Unix(folder.join(format!(".s.PGSQL.{port}")))]),
        None => Ok(Vec::new()),
    }
}

async fn connect_once(target: &Target, config: &Config, tls: &Tls) -> Result<Client> {
    let opened = target.open(config, tls).await?;
    let mut client = login(opened, config).await?;
    client.target = Some(target.clone());
    check_session(&mut client, config.target_session_attrs).await?;
    Ok(client)
}

async fn check_session(client: &mut Client, wanted: TargetSessionAttrs) -> Result<()> {
    let wanted: &[u8] = match wanted {
        TargetSessionAttrs::Any => return Ok(()),
        TargetSessionAttrs::ReadWrite => b"off",
        TargetSessionAttrs::ReadOnly => b"on",
    };
    let rows = client.small_rows("SHOW transaction_read_only", 1).await?;
    let told = rows.first().and_then(|row| row.first()).and_then(|value| value.as_deref());
    if told == Some(wanted) { Ok(()) } else { Err(Error::WrongSessionAttrs) }
}

/// The key that cancels the statement of a connection.
#[derive(Clone)]
pub(crate) struct CancelKey {
    pub(super) target: Target,
    pub(super) process: i32,
    pub(super) secret: i32,
}

/// Cancels the statement of a connection, through a second connection. Returns when the server has read the request.
pub(crate) async fn cancel(key: &CancelKey, config: &Config, tls: &Tls) -> Result<()> {
    let mut stream = key.target.open(config, tls).await?.stream;
    let mut request = BytesMut::new();
    frontend::cancel_request(key.process, key.secret, &mut request);
    stream.write_all(&request).await?;
    stream.flush().await?;
    // The server closes the connection; it has nothing to say.
    let mut nothing = [0; 16];
    match stream.read(&mut nothing).await {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
