//! The secret: a `mongodb://` or `mongodb+srv://` URI.
//!
//! Every option is either honoured or refused. An error names the option if MongoDB has it, and shows nothing else of
//! the URI.

use std::{path::PathBuf, time::Duration};

use mongodb::options::{Acknowledgment, ClientOptions, ConnectionString, HostInfo, ServerAddress, Tls};
use percent_encoding::percent_decode_str;

use crate::{Error, ErrorCode};

const SCHEMES: [&str; 2] = ["mongodb://", "mongodb+srv://"];

/// The number of connections of a pool, unless the URI has another: as many as a run may have calls in flight.
const MAX_POOL_SIZE: u32 = 128;
/// The number of connections that are opened at once, unless the URI has another.
const MAX_CONNECTING: u32 = 16;
/// The time to find a server, unless the URI has another.
const SERVER_SELECTION: Duration = Duration::from_secs(5);
/// The shortest time between two checks of a server that the driver allows.
const MIN_HEARTBEAT: Duration = Duration::from_millis(500);
/// The name of the connections on the server, unless the URI has another.
const APPLICATION_NAME: &str = "ghost";

/// The options that the driver honours, in lower case.
const OPTIONS: &[&str] = &[
    "appname",
    "authmechanism",
    "authsource",
    "connecttimeoutms",
    "directconnection",
    "heartbeatfrequencyms",
    "journal",
    "loadbalanced",
    "localthresholdms",
    "maxconnecting",
    "maxidletimems",
    "maxpoolsize",
    "maxstalenessseconds",
    "minpoolsize",
    "readconcernlevel",
    "readpreference",
    "readpreferencetags",
    "replicaset",
    "retryreads",
    "retrywrites",
    "servermonitoringmode",
    "serverselectiontimeoutms",
    "srvmaxhosts",
    "srvservicename",
    "ssl",
    "tls",
    "tlsallowinvalidcertificates",
    "tlscafile",
    "tlscertificatekeyfile",
    "tlsinsecure",
    "w",
    "wtimeoutms",
];

/// Options of MongoDB that ghost does not have: the driver lacks or ignores them, or they use credentials of this
/// machine.
const UNSUPPORTED: &[&str] = &[
    "authMechanismProperties",
    "adaptiveRetries",
    "compressors",
    "enableOverloadRetargeting",
    "enableUtf8Validation",
    "fsync",
    "gssapiServiceName",
    "maxAdaptiveRetries",
    "minHeartbeatFrequencyMS",
    "proxyHost",
    "proxyPassword",
    "proxyPort",
    "proxyUsername",
    "serverSelectionTryOnce",
    "timeoutMS",
    "tlsAllowInvalidHostnames",
    "tlsCertificateKeyFilePassword",
    "tlsDisableCertificateRevocationCheck",
    "tlsDisableOCSPEndpointCheck",
    "tlsCRLFile",
    "uuidRepresentation",
    "waitQueueMultiple",
    "zlibCompressionLevel",
];

/// Mechanisms that take a user and a password, or a certificate, from the secret alone.
const MECHANISMS: [&str; 4] = ["SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN", "MONGODB-X509"];

/// The parsed secret: the servers and the options. Has no `Debug`, since that would show the password.
pub(super) struct Config {
    uri: ConnectionString,
    /// `socketTimeoutMS`: the time limit of each answer.
    pub(super) socket_timeout: Option<Duration>,
    /// `waitQueueTimeoutMS`: the time limit of waiting for a connection.
    pub(super) wait_timeout: Option<Duration>,
    /// The words of the URI that are removed from errors.
    pub(super) words: Vec<String>,
}

/// Whether a text has the scheme of a MongoDB URI.
pub(super) fn is_mongodb_uri(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::SecretInvalid, message)
}

impl Config {
    /// Parses a URI, without reading a file or asking a name server.
    ///
    /// Fails with `secret-invalid`. The error names an option that MongoDB has; it shows neither an unknown one nor a
    /// value.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if !is_mongodb_uri(text) {
            return Err(invalid("the secret is not a mongodb:// or mongodb+srv:// URI"));
        }
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut socket_timeout, mut wait_timeout, mut driver) = (None, None, Vec::new());
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let Some((name, value)) = option.split_once('=').filter(|(_, value)| !value.is_empty()) else {
                return Err(invalid("an option of the connection string has no value"));
            };
            match name.to_ascii_lowercase().as_str() {
                "sockettimeoutms" => socket_timeout = milliseconds("socketTimeoutMS", value)?,
                "waitqueuetimeoutms" => wait_timeout = milliseconds("waitQueueTimeoutMS", value)?,
                known if OPTIONS.contains(&known) => driver.push((name, value)),
                _ => return Err(unknown(name)),
            }
        }
        check(&driver)?;
        let options: Vec<_> = driver.iter().map(|(name, value)| format!("{name}={value}")).collect();
        // The driver requires the slash.
        let slash = if base.split_once("://").is_some_and(|(_, rest)| rest.contains('/')) { "" } else { "/" };
        let uri = format!("{base}{slash}?{}", options.join("&"));
        let uri = ConnectionString::parse(uri.trim_end_matches('?')).map_err(|_| malformed(&driver))?;
        check_together(&uri)?;
        let words = words(base, &uri);
        Ok(Self { uri, socket_timeout, wait_timeout, words })
    }

    /// Returns the option that contains a path, if there is one.
    pub(super) fn path_option(&self) -> Option<&'static str> {
        let is_socket = |host: &ServerAddress| matches!(host, ServerAddress::Unix { .. });
        match (&self.uri.tls, &self.uri.host_info) {
            (Some(Tls::Enabled(tls)), _) if tls.ca_file_path.is_some() => Some("tlsCAFile"),
            (Some(Tls::Enabled(tls)), _) if tls.cert_key_file_path.is_some() => Some("tlsCertificateKeyFile"),
            (_, HostInfo::HostIdentifiers(hosts)) if hosts.iter().any(is_socket) => Some("host"),
            _ => None,
        }
    }

    /// Returns the hosts of the URI, each with its port.
    pub(super) fn address(&self) -> String {
        match &self.uri.host_info {
            HostInfo::HostIdentifiers(hosts) => hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            HostInfo::DnsRecord(name) => name.clone(),
            _ => String::new(),
        }
    }

    /// Returns the maximum number of connections that are open at once.
    pub(super) fn pool_size(&self) -> usize {
        let size = self.uri.max_pool_size.unwrap_or(MAX_POOL_SIZE);
        usize::try_from(size.min(10_000)).unwrap_or(usize::MAX)
    }

    /// Returns the options for a client. Asks the name server about a `mongodb+srv://` host.
    pub(super) async fn options(&self, connect: Duration, idle: Duration) -> mongodb::error::Result<ClientOptions> {
        let mut options = ClientOptions::parse(self.uri.clone()).await?;
        let given = options.connect_timeout.filter(|time| !time.is_zero());
        options.connect_timeout = Some(given.unwrap_or(connect).min(connect));
        options.server_selection_timeout.get_or_insert(SERVER_SELECTION);
        options.max_idle_time = Some(options.max_idle_time.filter(|time| !time.is_zero()).unwrap_or(idle).min(idle));
        options.max_pool_size = u32::try_from(self.pool_size()).ok();
        options.max_connecting.get_or_insert(MAX_CONNECTING);
        options.app_name.get_or_insert_with(|| APPLICATION_NAME.to_owned());
        Ok(options)
    }

    /// Returns the files that the options name, each with its option.
    pub(super) fn files(&self) -> Vec<(PathBuf, &'static str)> {
        let Some(Tls::Enabled(tls)) = &self.uri.tls else { return Vec::new() };
        let named = |path: &Option<PathBuf>, option| path.clone().map(|path| (path, option));
        [named(&tls.ca_file_path, "tlsCAFile"), named(&tls.cert_key_file_path, "tlsCertificateKeyFile")]
            .into_iter()
            .flatten()
            .collect()
    }
}

fn milliseconds(name: &str, value: &str) -> Result<Option<Duration>, Error> {
    let invalid = |_| invalid(format!("{name} of the connection string must be a whole number of milliseconds"));
    let milliseconds: u32 = value.parse().map_err(invalid)?;
    // As in other drivers, 0 means no limit.
    Ok((milliseconds > 0).then(|| Duration::from_millis(milliseconds.into())))
}

fn unknown(name: &str) -> Error {
    match UNSUPPORTED.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        Some(known) => invalid(format!("the option {known} of the connection string is not supported")),
        None => invalid(format!(
            "the connection string has an option that ghost does not know ({} characters, not shown)",
            name.chars().count()
        )),
    }
}

/// Refuses an option that occurs twice (the driver's error would not name it), and an unsupported authentication
/// mechanism.
fn check(options: &[(&str, &str)]) -> Result<(), Error> {
    for (at, (name, value)) in options.iter().enumerate() {
        let repeated = options[..at].iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        match name.to_ascii_lowercase().as_str() {
            "readpreferencetags" => {}
            known if repeated => {
                return Err(invalid(format!("the connection string has the option {known} twice")));
            }
            "authmechanism" if !MECHANISMS.contains(value) => {
                let allowed = MECHANISMS.join(", ");
                return Err(invalid(format!("authMechanism of the connection string must be one of {allowed}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses options that the driver would refuse only when it connects or executes a request, such as options that
/// exclude each other.
fn check_together(uri: &ConnectionString) -> Result<(), Error> {
    let has_several = matches!(&uri.host_info, HostInfo::HostIdentifiers(hosts) if hosts.len() > 1);
    let (is_direct, is_balanced) = (uri.direct_connection == Some(true), uri.load_balanced == Some(true));
    let concern = uri.write_concern.as_ref();
    let problems = [
        (concern.is_some_and(|concern| concern.w == Some(Acknowledgment::Nodes(0))), "w must not be 0"),
        (is_direct && has_several, "directConnection=true requires one host"),
        (is_balanced && has_several, "loadBalanced=true requires one host"),
        (is_balanced && uri.replica_set.is_some(), "loadBalanced=true and replicaSet exclude each other"),
        (is_balanced && is_direct, "loadBalanced=true and directConnection=true exclude each other"),
        (uri.max_connecting == Some(0), "maxConnecting must not be 0"),
        (uri.max_pool_size == Some(0), "maxPoolSize must not be 0"),
        (uri.heartbeat_frequency.is_some_and(|time| time < MIN_HEARTBEAT), "heartbeatFrequencyMS must be at least 500"),
    ];
    match problems.iter().find(|(exists, _)| *exists) {
        Some((_, problem)) => Err(invalid(format!("{problem} (options of the connection string)"))),
        None => Ok(()),
    }
}

/// Returns the error for a URI that the driver refuses. To find the cause, tries each option alone, and names the first
/// that is refused.
fn malformed(options: &[(&str, &str)]) -> Error {
    let alone = |(name, value): &&(&str, &str)| {
        // These two options depend on a third, so they are never valid alone.
        let independent = !["readpreferencetags", "maxstalenessseconds"].contains(&name.to_ascii_lowercase().as_str());
        independent && ConnectionString::parse(format!("mongodb://user:password@localhost/?{name}={value}")).is_err()
    };
    match options.iter().find(alone) {
        Some((name, _)) => {
            let known = OPTIONS.iter().find(|known| known.eq_ignore_ascii_case(name)).copied().unwrap_or_default();
            invalid(format!("the option {known} of the connection string has an invalid value"))
        }
        None => invalid(
            "the connection string is malformed: check its hosts, its options together, and that the user and the \
             password are percent-encoded",
        ),
    }
}

/// Returns the words of a URI that a server's errors may repeat: percent-decoded, and as they are encoded in the URI.
fn words(base: &str, uri: &ConnectionString) -> Vec<String> {
    let rest = base.split_once("://").map_or("", |(_, rest)| rest);
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let source = uri.credential.as_ref().and_then(|credential| credential.source.clone());
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if !word.is_empty() && word != APPLICATION_NAME && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    };
    for part in [user, password, database].into_iter().chain(hosts.split(',')) {
        add(part);
        add(&percent_decode_str(part).decode_utf8_lossy());
    }
    // For `host:port`, the host alone is a word too.
    hosts.split(',').filter_map(|host| host.rsplit_once(':')).for_each(|(host, _)| add(host));
    // The driver has decoded these.
    [source, uri.replica_set.clone(), uri.app_name.clone()].into_iter().flatten().for_each(|word| add(&word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = Config::read(text).map(drop).unwrap_err();
        assert_eq!(error.code, ErrorCode::SecretInvalid, "{text}");
        assert!(error.message.contains(expected), "{text}: {error}");
        assert!(!error.message.contains("canary"), "{error}");
    }

    #[test]
    fn a_uri_is_distinguished_from_other_secrets() {
        assert!(is_mongodb_uri("mongodb://h") && is_mongodb_uri("mongodb+srv://h"));
        for text in ["", "postgres://h", "s3://k:s@h", r#"{"url":"mongodb://h"}"#, "mongodb:/h", "MONGODB"] {
            assert!(!is_mongodb_uri(text), "{text}");
        }
    }

    #[test]
    fn options_that_the_driver_ignores_or_refuses_are_honoured() {
        let config = Config::read("mongodb://u:p@h/d?socketTimeoutMS=1500&waitQueueTimeoutMS=20&tls=true").unwrap();
        assert_eq!(config.socket_timeout, Some(Duration::from_millis(1500)));
        assert_eq!(config.wait_timeout, Some(Duration::from_millis(20)));
        assert_eq!(Config::read("mongodb://h?SOCKETTIMEOUTMS=0").unwrap().socket_timeout, None);
        refused("mongodb://h/?socketTimeoutMS=canary", "socketTimeoutMS of the connection string must be");
        refused("mongodb://h/?waitQueueTimeoutMS=-1", "waitQueueTimeoutMS of the connection string must be");
    }

    #[test]
    fn every_option_is_honoured_or_refused_and_an_unknown_one_is_not_shown() {
        for option in UNSUPPORTED {
            refused(&format!("mongodb://h/?{option}=canary"), &format!("the option {option} of"));
        }
        refused("mongodb://h/?canary=1", "does not know (6 characters, not shown)");
        refused("mongodb://h/?tls", "has no value");
        refused("mongodb://h/?tls=", "has no value");
        refused("mongodb://h/?tls=canary", "the option tls of the connection string has an invalid value");
        refused("mongodb://h/?maxPoolSize=canary", "the option maxpoolsize of");
        refused("mongodb://h/?tls=true&tls=false", "the connection string has the option tls twice");
        refused("mongodb://u:p@h/?authMechanism=MONGODB-AWS", "authMechanism of the connection string must be one of");
        refused("mongodb://h/?authMechanism=canary", "must be one of");
    }

    #[test]
    fn options_that_do_not_fit_together_are_refused_at_once() {
        let rows = [
            ("mongodb://h/?w=0", "w must not be 0"),
            ("mongodb://h,i/?directConnection=true", "directConnection=true requires one host"),
            ("mongodb://h,i/?loadBalanced=true", "loadBalanced=true"),
            ("mongodb://h/?loadBalanced=true&replicaSet=canary", "loadBalanced=true"),
            ("mongodb://h/?loadBalanced=true&directConnection=true", "loadBalanced=true"),
            ("mongodb://h/?maxConnecting=0", "maxConnecting must not be 0"),
            ("mongodb://h/?maxPoolSize=0", "maxPoolSize must not be 0"),
            ("mongodb://h/?heartbeatFrequencyMS=499", "heartbeatFrequencyMS must be at least 500"),
        ];
        for (text, expected) in rows {
            refused(text, expected);
        }
    }

    #[test]
    fn a_malformed_uri_is_refused_and_not_shown() {
        refused("postgres://canary@h", "is not a mongodb://");
        for text in
            ["mongodb://", "mongodb://u:can/ary@h", "mongodb://u:p:canary@h", "mongodb://h:canary", "mongodb://h:0"]
        {
            refused(text, "is malformed");
        }
        refused("mongodb+srv://h.example.com:1", "is malformed");
    }

    #[test]
    fn the_option_that_contains_a_path_is_reported() {
        let path = |text: &str| Config::read(text).unwrap().path_option();
        assert_eq!(path("mongodb://h/?tls=true"), None);
        assert_eq!(path("mongodb://h/?tls=true&tlsCAFile=/a"), Some("tlsCAFile"));
        assert_eq!(path("mongodb://h/?tls=true&tlsCertificateKeyFile=/a"), Some("tlsCertificateKeyFile"));
        assert_eq!(path("mongodb://%2Ftmp%2Fmongodb.sock"), Some("host"));
    }

    #[test]
    fn the_words_of_a_uri_are_known_decoded_and_encoded() {
        let words = Config::read("mongodb://us%40er:p%3Ass@host:1,other/orders?authSource=people&replicaSet=set")
            .unwrap()
            .words;
        for word in ["us%40er", "us@er", "p%3Ass", "p:ss", "orders", "host:1", "host", "other", "people", "set"] {
            assert!(words.iter().any(|known| known == word), "{word}: {words:?}");
        }
    }

    #[tokio::test]
    async fn the_driver_gets_time_limits_and_a_pool_size() {
        let options = async |text: &str| {
            let config = Config::read(text).unwrap();
            config.options(Duration::from_secs(10), Duration::from_secs(60)).await.unwrap()
        };
        let plain = options("mongodb://h").await;
        assert_eq!(plain.connect_timeout, Some(Duration::from_secs(10)));
        assert_eq!(plain.server_selection_timeout, Some(SERVER_SELECTION));
        assert_eq!((plain.max_pool_size, plain.max_idle_time), (Some(128), Some(Duration::from_secs(60))));
        let given =
            options("mongodb://h/?connectTimeoutMS=99000&serverSelectionTimeoutMS=70&maxPoolSize=3&maxIdleTimeMS=5")
                .await;
        assert_eq!(given.connect_timeout, Some(Duration::from_secs(10)));
        assert_eq!(given.server_selection_timeout, Some(Duration::from_millis(70)));
        assert_eq!((given.max_pool_size, given.max_idle_time), (Some(3), Some(Duration::from_millis(5))));
    }
}
