//! Where a connection string leads, and how: what its options mean.

use std::{net::IpAddr, time::Duration};

use super::{
    connection_string::{Pair, invalid, read},
    tls::{self, Check},
    wire::{ChannelBinding, Config, Host, Keepalives, LoadBalanceHosts, SslMode, SslNegotiation, TargetSessionAttrs},
};
use crate::Error;

/// Options of libpq that mean nothing here. Names that libpq does not know are not shown: who forgets to encode a password
/// has put a part of it there.
const UNSUPPORTED: &[&str] = &[
    "fallback_application_name",
    "gssdelegation",
    "gssencmode",
    "gsslib",
    "krbsrvname",
    "max_protocol_version",
    "min_protocol_version",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_issuer",
    "oauth_scope",
    "passfile",
    "replication",
    "require_auth",
    "requirepeer",
    "requiressl",
    "scram_client_key",
    "scram_server_key",
    "service",
    "servicefile",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcert",
    "sslcertmode",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslkey",
    "sslkeylogfile",
    "sslpassword",
    "sslsni",
];

/// What the server calls the connections, unless the string has another name.
const APPLICATION_NAME: &str = "ghost";

/// How long nothing may come of a host before it is asked whether it is there, and then until it is given up, unless the
/// string says other times.
const IDLE: Duration = Duration::from_secs(30);

/// Where to connect, and how.
pub(super) struct Address {
    pub(super) config: Config,
    /// What of it no error may show.
    pub(super) words: Vec<String>,
    pub(super) security: tls::Security,
    /// The option with a path in it, when there is one: a file or a socket.
    pub(super) path: Option<&'static str>,
}

/// What decides about TLS, which the whole string has to be read for.
#[derive(Default)]
struct Security {
    /// `keepalives=0`, whatever else is said of them.
    keeps_no_alive: bool,
    mode: Option<String>,
    root_file: Option<String>,
    hosts: Vec<String>,
    addresses: Vec<IpAddr>,
}

impl Address {
    /// Reads a connection string. `connect_timeout` is for each host, unless the string says less.
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
            // As libpq has it: of an option that is there twice, the last counts.
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
        if security.keeps_no_alive {
            config.keepalives = None;
        }
        let path = security.path();
        let security = security.resolve(&mut config)?;
        Ok(Self { words: words(&config), config, security, path })
    }

    /// How long all hosts may take together, one after the other.
    pub(super) fn connect_timeout(&self) -> Duration {
        let hosts = self.config.hosts.len().max(self.config.addresses.len());
        self.config.connect_timeout.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX))
    }
}

fn set(config: &mut Config, security: &mut Security, (name, value): &Pair, most: Duration) -> Result<(), Error> {
    let seconds = |value: &str| Ok::<_, Error>(Duration::from_secs(whole::<u32>(name, value)?.into()));
    match name.as_str() {
        "user" => config.user = value.clone(),
        "password" => config.password = Some(value.clone()),
        "dbname" => config.dbname = Some(value.clone()),
        "options" => config.options = Some(value.clone()),
        "application_name" => config.application_name = value.clone(),
        "host" => hosts(config, security, value)?,
        "hostaddr" => addresses(config, security, value)?,
        "port" => ports(config, value)?,
        "connect_timeout" => match whole::<i64>(name, value)? {
            // As libpq has it: none.
            ..=0 => {}
            seconds => config.connect_timeout = Duration::from_secs(seconds.unsigned_abs()).min(most),
        },
        "keepalives" => security.keeps_no_alive = whole::<u8>(name, value)? == 0,
        "keepalives_idle" => keepalives(config).idle = seconds(value)?,
        "keepalives_interval" => keepalives(config).interval = Some(seconds(value)?),
        "keepalives_count" => keepalives(config).retries = Some(whole(name, value)?),
        "tcp_user_timeout" => {
            config.tcp_user_timeout = Some(Duration::from_millis(whole::<u32>(name, value)?.into()));
        }
        "client_encoding" => one_of(name, &value.to_ascii_lowercase(), &[("utf8", ()), ("utf-8", ()), ("auto", ())])?,
        "sslmode" => security.mode = Some(value.clone()),
        "sslrootcert" => security.root_file = Some(value.clone()),
        _ => return choose(config, name, value),
    }
    Ok(())
}

/// What the options that begin so are about.
fn keepalives(config: &mut Config) -> &mut Keepalives {
    config.keepalives.get_or_insert(Keepalives { idle: IDLE, interval: None, retries: None })
}

/// The options that have a few values.
fn choose(config: &mut Config, name: &str, value: &str) -> Result<(), Error> {
    match name {
        "sslnegotiation" => {
            let known = [("postgres", SslNegotiation::Postgres), ("direct", SslNegotiation::Direct)];
            config.ssl_negotiation = one_of(name, value, &known)?;
        }
        "channel_binding" => {
            let known = [
                ("disable", ChannelBinding::Disable),
                ("prefer", ChannelBinding::Prefer),
                ("require", ChannelBinding::Require),
            ];
            config.channel_binding = one_of(name, value, &known)?;
        }
        "target_session_attrs" => {
            let known = [
                ("any", TargetSessionAttrs::Any),
                ("read-write", TargetSessionAttrs::ReadWrite),
                ("read-only", TargetSessionAttrs::ReadOnly),
            ];
            config.target_session_attrs = one_of(name, value, &known)?;
        }
        "load_balance_hosts" => {
            let known = [("disable", LoadBalanceHosts::Disable), ("random", LoadBalanceHosts::Random)];
            config.load_balance_hosts = one_of(name, value, &known)?;
        }
        _ if UNSUPPORTED.contains(&name) => {
            return Err(invalid(format!("the option {name} of the connection string is not supported")));
        }
        _ => {
            let length = name.chars().count();
            return Err(invalid(format!(
                "the connection string has an option that PostgreSQL does not know ({length} characters, not shown)"
            )));
        }
    }
    Ok(())
}

fn hosts(config: &mut Config, security: &mut Security, value: &str) -> Result<(), Error> {
    for host in value.split(',').map(str::trim) {
        if host.is_empty() {
            return Err(invalid("a host of the connection string is empty"));
        }
        config.hosts.push(Host::of(host));
        security.hosts.push(host.to_owned());
    }
    Ok(())
}

fn addresses(config: &mut Config, security: &mut Security, value: &str) -> Result<(), Error> {
    for address in value.split(',').map(str::trim) {
        let address = address.parse().map_err(|_| invalid("hostaddr must be IP addresses, separated by commas"))?;
        config.addresses.push(address);
        security.addresses.push(address);
    }
    Ok(())
}

fn ports(config: &mut Config, value: &str) -> Result<(), Error> {
    for port in value.split(',').map(str::trim) {
        config.ports.push(if port.is_empty() { 5432 } else { self::port(port)? });
    }
    Ok(())
}

/// An unencoded `/`, `?` or `#` in a password ends what stands before the port, so the text is not shown.
fn port(text: &str) -> Result<u16, Error> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        invalid(
            "port of the connection string must be a whole number from 1 to 65535; in the password of a URI, characters as \
             / ? # @ must be percent-encoded",
        )
    })
}

fn whole<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, Error> {
    value.trim().parse().map_err(|_| invalid(format!("{name} of the connection string must be a whole number")))
}

fn one_of<T: Copy>(name: &str, value: &str, known: &[(&str, T)]) -> Result<T, Error> {
    let found = known.iter().find(|(word, _)| *word == value).map(|(_, found)| *found);
    found.ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        invalid(format!("{name} of the connection string must be one of {}", words.join(", ")))
    })
}

impl Security {
    /// Plain text only when it is asked for, or to the machine itself.
    fn resolve(&self, config: &mut Config) -> Result<tls::Security, Error> {
        let local = self.is_local();
        let (mode, check) = match self.mode.as_deref() {
            Some("disable") => (SslMode::Disable, Check::Nothing),
            None | Some("prefer" | "allow") if local => (SslMode::Prefer, Check::Nothing),
            // As libpq has it: who names an authority wants it asked.
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

    /// The file with authorities; none where the system's are asked.
    fn roots(&self) -> Option<&str> {
        self.root_file.as_deref().filter(|file| *file != "system")
    }

    /// The option with a path in it, when there is one.
    fn path(&self) -> Option<&'static str> {
        let socket = self.hosts.iter().any(|host| host.starts_with('/'));
        if self.roots().is_some() { Some("sslrootcert") } else { socket.then_some("host") }
    }

    /// Each host has its address, where there are any, and its port, where there are several.
    fn match_ports(&self, config: &Config) -> Result<(), Error> {
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

    /// Whether all of it is on this machine.
    fn is_local(&self) -> bool {
        let host = |host: &String| {
            let address = host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
            address || host == "localhost" || host.starts_with('/')
        };
        // The address is where the connection goes; the name is then for TLS alone.
        match self.addresses.is_empty() {
            true => self.hosts.iter().all(host),
            false => self.addresses.iter().all(IpAddr::is_loopback),
        }
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
    use super::*;
    use crate::ErrorCode;

    const MOST: Duration = Duration::from_secs(10);

    fn address(text: &str) -> Address {
        Address::read(text, MOST).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = Address::read(text, MOST).map(drop).unwrap_err();
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
    fn a_path_is_told_by_its_option() {
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
        let address = Address::read(secret, Duration::from_secs(1)).unwrap();
        assert_eq!(address.words, ["orders", "hunter2", "canary", "mine"]);
    }
}
