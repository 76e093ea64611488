//! The configuration of the client.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

/// The port of a server whose connection string has none.
pub(crate) const DEFAULT_PORT: u16 = 5432;

/// Where to connect, as whom, and how. TLS has its own: `tls.rs`.
#[derive(Clone, Default)]
pub(crate) struct Config {
    pub(crate) hosts: Vec<Host>,
    /// One for each host, or none. The client connects to these where there are any.
    pub(crate) addresses: Vec<IpAddr>,
    /// One for all hosts, or one for each.
    pub(crate) ports: Vec<u16>,
    pub(crate) user: String,
    pub(crate) password: Option<String>,
    pub(crate) dbname: Option<String>,
    pub(crate) options: Option<String>,
    pub(crate) application_name: String,
    /// The time limit for one host, from the first packet to the end of the login.
    pub(crate) connect_timeout: Duration,
    pub(crate) keepalives: Option<Keepalives>,
    pub(crate) tcp_user_timeout: Option<Duration>,
    pub(crate) ssl_mode: SslMode,
    pub(crate) ssl_negotiation: SslNegotiation,
    pub(crate) channel_binding: ChannelBinding,
    pub(crate) target_session_attrs: TargetSessionAttrs,
    pub(crate) load_balance_hosts: LoadBalanceHosts,
}

impl Config {
    /// The number of places to connect to: each a host, an address, or both.
    pub(crate) fn places(&self) -> usize {
        self.hosts.len().max(self.addresses.len())
    }

    /// The port of a place.
    pub(crate) fn port(&self, place: usize) -> u16 {
        self.ports.get(place).or(self.ports.first()).copied().unwrap_or(DEFAULT_PORT)
    }

    /// All places, as `host:port`.
    pub(crate) fn address(&self) -> String {
        let place = |at: usize| match (self.hosts.get(at), self.addresses.get(at)) {
            (Some(Host::Unix(folder)), _) => folder.display().to_string(),
            (_, Some(address)) => SocketAddr::new(*address, self.port(at)).to_string(),
            (Some(Host::Tcp(name)), None) => format!("{name}:{}", self.port(at)),
            (None, None) => String::new(),
        };
        (0..self.places()).map(place).collect::<Vec<_>>().join(", ")
    }
}

/// A host of a connection string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// A name or an address.
    Tcp(String),
    /// The folder of a socket.
    Unix(PathBuf),
}

impl Host {
    pub(crate) fn of(text: &str) -> Self {
        if text.starts_with('/') { Self::Unix(text.into()) } else { Self::Tcp(text.to_owned()) }
    }
}

/// Packets that keep an idle connection alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Keepalives {
    pub(crate) idle: Duration,
    pub(crate) interval: Option<Duration>,
    pub(crate) retries: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SslMode {
    Disable,
    /// TLS if the server has it.
    Prefer,
    #[default]
    Require,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SslNegotiation {
    /// The server is asked first.
    #[default]
    Postgres,
    /// TLS from the first byte on, as PostgreSQL 17 has it.
    Direct,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChannelBinding {
    Disable,
    #[default]
    Prefer,
    Require,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TargetSessionAttrs {
    #[default]
    Any,
    ReadWrite,
    ReadOnly,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LoadBalanceHosts {
    #[default]
    Disable,
    Random,
}
