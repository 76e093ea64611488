//! The configuration of connections, from the options of a connection string.

mod options;
mod security;

use std::time::Duration;

use super::{
    connection_string::{invalid, read},
    tls,
    wire::{Config, Keepalives},
};
use crate::Error;
use options::{IDLE, set};
use security::Security;

/// The name of the connections on the server, unless the string has another.
const APPLICATION_NAME: &str = "ghost";

/// Where to connect, and how.
pub(super) struct ConnectionConfig {
    pub(super) config: Config,
    /// The words of it that no error may show.
    pub(super) words: Vec<String>,
    pub(super) security: tls::Security,
    /// The option that contains a path, if one does: to a file or a socket.
    pub(super) path: Option<&'static str>,
}

impl ConnectionConfig {
    /// Parses a connection string. `connect_timeout` is for each host, unless the string has a shorter one.
    ///
    /// Fails with `secret-invalid`, naming the option.
    pub(super) fn read(text: &str, connect_timeout: Duration) -> Result<Self, Error> {
        let mut config = Config {
            connect_timeout,
            keepalives: Some(Keepalives { idle: IDLE, interval: None, retries: None }),
            tcp_user_timeout: Some(IDLE),
            application_name: APPLICATION_NAME.to_owned(),
            ..Config::default()
        };
        let mut security = Security::default();
        let pairs = read(text)?;
        for (at, pair) in pairs.iter().enumerate() {
            // As in libpq: of an option that is given twice, the last counts.
            if !pairs[at + 1..].iter().any(|(later, _)| *later == pair.0) {
                set(&mut config, &mut security, pair, connect_timeout)?;
            }
        }
        if security.hosts.is_empty() && security.addresses.is_empty() {
            return Err(invalid("the connection string names no host"));
        }
        security.match_ports(&config)?;
        if config.user.is_empty() {
            return Err(invalid("the connection string names no user"));
        }
        if security.keepalives_off {
            config.keepalives = None;
        }
        let path = security.path();
        let security = security.resolve(&mut config)?;
        Ok(Self { words: words(&config), config, security, path })
    }

    /// The time limit for all hosts together, one after the other.
    pub(super) fn connect_timeout(&self) -> Duration {
        let hosts = self.config.hosts.len().max(self.config.addresses.len());
        self.config.connect_timeout.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX))
    }
}

/// The words of a connection string that a server's errors may repeat.
fn words(config: &Config) -> Vec<String> {
    let always = [config.user.as_str(), config.application_name.as_str()];
    let names = [config.dbname.as_deref(), config.password.as_deref()].into_iter().flatten().chain(always);
    // `-c search_path=a`: the setting is no secret, its value is.
    let settings = config.options.as_deref().unwrap_or_default().split_whitespace();
    let values = settings.filter_map(|setting| setting.split_once('=')).map(|(_, value)| value);
    names.chain(values).filter(|word| *word != APPLICATION_NAME).map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::wire::{ChannelBinding, Host, LoadBalanceHosts, SslMode, TargetSessionAttrs},
        options::UNSUPPORTED,
        tls::Check,
        *,
    };
    use crate::ErrorCode;

    const MOST: Duration = Duration::from_secs(10);

    fn address(text: &str) -> ConnectionConfig {
        ConnectionConfig::read(text, MOST).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = ConnectionConfig::read(text, MOST).map(drop).unwrap_err();
        assert_eq!(error.code, ErrorCode::SecretInvalid);
        assert!(error.message.contains(expected), "{error}");
        assert!(!error.message.contains("canary"), "{error}");
    }

    #[test]
    fn options_reach_the_client() {
        let config = address(
            "postgres://u:p@a:1,b:2/d?sslmode=require&application_name=x&options=-c%20a%3D1&connect_timeout=3\
             &keepalives=0&target_session_attrs=read-write&load_balance_hosts=random&channel_binding=require",
        )
        .config;
        assert_eq!(config.hosts, [Host::Tcp("a".into()), Host::Tcp("b".into())]);
        assert_eq!(config.ports, [1, 2]);
        assert_eq!((config.user.as_str(), config.password.as_deref()), ("u", Some("p")));
        assert_eq!((config.dbname.as_deref(), config.options.as_deref()), (Some("d"), Some("-c a=1")));
        assert_eq!(config.connect_timeout, Duration::from_secs(3));
        assert_eq!(config.keepalives, None);
        assert_eq!(config.target_session_attrs, TargetSessionAttrs::ReadWrite);
        assert_eq!(config.load_balance_hosts, LoadBalanceHosts::Random);
        assert_eq!(config.channel_binding, ChannelBinding::Require);
    }

    #[test]
    fn the_last_of_an_option_counts() {
        let config = address("host=a port=1 user=u sslmode=disable host=b port=2").config;
        assert_eq!((config.hosts, config.ports), (vec![Host::Tcp("b".into())], vec![2]));
        let address = address("postgres://u@localhost:1/d?host=example.com&port=2");
        assert_eq!(address.config.hosts, [Host::Tcp("example.com".into())]);
        assert_eq!(address.config.ssl_mode, SslMode::Require, "it is not this machine that counts");
    }

    #[test]
    fn all_hosts_have_the_time_of_each_together() {
        let time = |text: &str| address(text).connect_timeout();
        assert_eq!(time("host=localhost user=u connect_timeout=2"), Duration::from_secs(2));
        assert_eq!(time("postgres://u@localhost,[::1]/?connect_timeout=2&sslmode=disable"), Duration::from_secs(4));
        assert_eq!(time("hostaddr=127.0.0.1 user=u"), MOST);
    }

    #[test]
    fn a_connection_takes_no_longer_than_the_gate_allows() {
        for text in ["connect_timeout=99", "connect_timeout=0", "connect_timeout=-1", ""] {
            let config = address(&format!("host=localhost user=u {text}")).config;
            assert_eq!(config.connect_timeout, MOST, "{text}");
        }
    }

    #[test]
    fn plain_text_is_sent_only_when_asked_for_or_to_this_machine() {
        let rows = [
            ("host=example.com", SslMode::Require, Check::Nothing),
            ("host=example.com sslmode=disable", SslMode::Disable, Check::Nothing),
            ("host=example.com sslmode=require", SslMode::Require, Check::Nothing),
            ("host=example.com sslmode=verify-ca", SslMode::Require, Check::Chain),
            ("host=example.com sslmode=verify-full", SslMode::Require, Check::ChainAndName),
            ("host=example.com sslmode=verify-full sslrootcert=system", SslMode::Require, Check::ChainAndName),
            ("host=example.com sslrootcert=system", SslMode::Require, Check::Chain),
            ("host=localhost", SslMode::Prefer, Check::Nothing),
            ("host=127.0.0.1 sslmode=prefer", SslMode::Prefer, Check::Nothing),
            ("host=::1 sslmode=require", SslMode::Require, Check::Nothing),
            ("host=/var/run/postgresql", SslMode::Prefer, Check::Nothing),
            ("host=localhost,example.com", SslMode::Require, Check::Nothing),
            ("host=localhost hostaddr=192.0.2.1", SslMode::Require, Check::Nothing),
            ("host=example.com hostaddr=127.0.0.1", SslMode::Prefer, Check::Nothing),
        ];
        for (text, mode, check) in rows {
            let address = address(&format!("user=u {text}"));
            assert_eq!((address.config.ssl_mode, address.security.check), (mode, check), "{text}");
        }
        refused("user=u host=example.com sslmode=prefer", "may connect without TLS");
        refused("user=u host=localhost,example.com sslmode=allow", "may connect without TLS");
    }

    #[test]
    fn the_option_that_contains_a_path_is_reported() {
        let path = |text: &str| address(&format!("user=u {text}")).path;
        for text in ["host=h", "host=@run", "hostaddr=::1", "host=h sslmode=verify-full sslrootcert=system"] {
            assert_eq!(path(text), None, "{text}");
        }
        for text in ["host=h sslrootcert=/a", "host=h sslmode=disable sslrootcert=a", "host=/run sslrootcert=/a"] {
            assert_eq!(path(text), Some("sslrootcert"), "{text}");
        }
        for text in ["host=/run", "host=h,/run", "host=/run hostaddr=::1"] {
            assert_eq!(path(text), Some("host"), "{text}");
        }
    }

    #[test]
    fn what_can_not_be_meant_is_named_and_no_value_is_shown() {
        refused("user=u", "names no host");
        refused("host=h", "names no user");
        refused("postgres://h/canary", "names no user");
        refused("postgres://u@,h", "a host of the connection string is empty");
        refused("user=u host=a,b hostaddr=::1", "has 2 hosts and 1 hostaddr; one for each host is required");
        refused(
            "user=u host=a,b,c port=1,2",
            "has 3 hosts and 2 ports; one for all hosts, or one for each, is required",
        );
        for port in ["canary", "0", "-1", "65536", "99999"] {
            let text = format!("user=u host=h port={port}");
            refused(&text, "port of the connection string must be a whole number from 1 to 65535");
        }
        refused("user=u host=h sslmode=canary", "sslmode of the connection string must be one of");
        refused("user=u host=h hostaddr=canary", "hostaddr must be IP addresses");
        refused("user=u host=h target_session_attrs=canary", "must be one of any, read-write, read-only");
        refused("user=u host=h client_encoding=canary", "client_encoding");
        refused("user=u host=h canary=1", "does not know (6 characters, not shown)");
        for option in UNSUPPORTED {
            refused(&format!("user=u host=h {option}=canary"), &format!("the option {option} of"));
        }
    }

    #[test]
    fn names_passwords_and_the_values_of_options_are_not_for_errors() {
        let secret = "postgres://canary:hunter2@host/orders?options=-c%20search_path%3Dmine";
        let address = ConnectionConfig::read(secret, Duration::from_secs(1)).unwrap();
        assert_eq!(address.words, ["orders", "hunter2", "canary", "mine"]);
    }
}
