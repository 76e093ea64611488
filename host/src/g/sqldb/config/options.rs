//! The options of a connection string, one by one.

use std::time::Duration;

use super::security::Security;
use crate::{
    Error,
    g::sqldb::{
        connection_string::{Pair, invalid},
        wire::{
            ChannelBinding, Config, DEFAULT_PORT, Host, Keepalives, LoadBalanceHosts, SslNegotiation,
            TargetSessionAttrs,
        },
    },
};

/// Options of libpq that are not supported. Errors do not show names that libpq does not know: they may be a part of a
/// password that is not percent-encoded.
pub(super) const UNSUPPORTED: &[&str] = &[
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

/// The idle time before the first keepalive packet, and the time for data to be acknowledged, unless the string has other
/// times.
pub(super) const IDLE: Duration = Duration::from_secs(30);

pub(super) fn set(
    config: &mut Config,
    security: &mut Security,
    (name, value): &Pair,
    most: Duration,
) -> Result<(), Error> {
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
        "keepalives" => security.keepalives_off = whole::<u8>(name, value)? == 0,
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

/// The settings of the `keepalives_` options.
fn keepalives(config: &mut Config) -> &mut Keepalives {
    config.keepalives.get_or_insert(Keepalives { idle: IDLE, interval: None, retries: None })
}

/// Sets an option that has a fixed list of values.
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
        config.ports.push(if port.is_empty() { DEFAULT_PORT } else { self::port(port)? });
    }
    Ok(())
}

/// Parses a port. Errors do not show the text: after an unencoded `/`, `?` or `#`, it may be a part of the password.
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
