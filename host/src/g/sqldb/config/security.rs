//! TLS by the options of a connection string.

use std::net::IpAddr;

use crate::{
    Error,
    g::sqldb::{
        connection_string::invalid,
        tls::{self, Check},
        wire::{Config, SslMode},
    },
    gate::tls::is_this_machine,
};

/// The options that decide about TLS together.
#[derive(Default)]
pub(super) struct Security {
    /// `keepalives=0`, which overrides the other options of keepalives.
    pub(super) keepalives_off: bool,
    pub(super) mode: Option<String>,
    pub(super) root_file: Option<String>,
    pub(super) hosts: Vec<String>,
    pub(super) addresses: Vec<IpAddr>,
}

impl Security {
    /// Allows plain text only with `disable`, or to this machine.
    pub(super) fn resolve(&self, config: &mut Config) -> Result<tls::Security, Error> {
        let local = self.is_local();
        let (mode, check) = match self.mode.as_deref() {
            Some("disable") => (SslMode::Disable, Check::Nothing),
            None | Some("prefer" | "allow") if local => (SslMode::Prefer, Check::Nothing),
            // As in libpq: naming an authority asks to verify it.
            None | Some("require") if self.root_file.is_some() => (SslMode::Require, Check::Chain),
            None | Some("require") => (SslMode::Require, Check::Nothing),
            Some("verify-ca") => (SslMode::Require, Check::Chain),
            Some("verify-full") => (SslMode::Require, Check::ChainAndName),
            Some("prefer" | "allow") => {
                return Err(invalid(
                    "sslmode prefer and allow may connect without TLS, which is only allowed to this machine; use \
                     require, verify-ca, verify-full or disable",
                ));
            }
            Some(_) => {
                return Err(invalid(
                    "sslmode of the connection string must be one of disable, allow, prefer, require, verify-ca, verify-full",
                ));
            }
        };
        config.ssl_mode = mode;
        Ok(tls::Security { check, roots: self.roots().map(Into::into) })
    }

    /// The file with authorities; None for the system's.
    fn roots(&self) -> Option<&str> {
        self.root_file.as_deref().filter(|file| *file != "system")
    }

    /// The option that contains a path, if one does.
    pub(super) fn path(&self) -> Option<&'static str> {
        let socket = self.hosts.iter().any(|host| host.starts_with('/'));
        if self.roots().is_some() { Some("sslrootcert") } else { socket.then_some("host") }
    }

    /// Checks that there are as many addresses as hosts, and one port or as many.
    pub(super) fn match_ports(&self, config: &Config) -> Result<(), Error> {
        let (hosts, addresses, ports) = (self.hosts.len(), self.addresses.len(), config.ports.len());
        if hosts > 0 && addresses > 0 && hosts != addresses {
            return Err(invalid(format!(
                "the connection string has {hosts} hosts and {addresses} hostaddr; one for each host is required"
            )));
        }
        let hosts = hosts.max(addresses);
        if ports > 1 && ports != hosts {
            return Err(invalid(format!(
                "the connection string has {hosts} hosts and {ports} ports; one for all hosts, or one for each, is required"
            )));
        }
        Ok(())
    }

    /// Whether all hosts are this machine.
    fn is_local(&self) -> bool {
        // The address is where the connection goes; the name is then for TLS alone.
        match self.addresses.is_empty() {
            true => self.hosts.iter().all(|host| is_this_machine(host)),
            false => self.addresses.iter().all(IpAddr::is_loopback),
        }
    }
}
