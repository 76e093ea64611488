//! The secret of an object store: `s3://KEY:SECRET@HOST:PORT?OPTION=VALUE`, or a JSON object.
//!
//! No error shows a value, an unknown option or an unknown member of the secret.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::name::is_region;
use crate::{Error, ErrorCode};

const SCHEME: &str = "s3://";
const AWS: &str = "s3.amazonaws.com";
const AWS_DOMAINS: [&str; 2] = [".amazonaws.com", ".amazonaws.com.cn"];
const DEFAULT_REGION: &str = "us-east-1";

const OPTIONS: &str = "region, tls, pathStyle and sessionToken";
const MEMBERS: &str = "accessKeyId, secretAccessKey, endpoint, region, pathStyle, sessionToken and ca";

/// The contents of a secret.
#[derive(PartialEq, Eq)]
pub(super) struct Config {
    pub(super) access_key: String,
    pub(super) secret_key: String,
    pub(super) session_token: Option<String>,
    pub(super) endpoint: Endpoint,
    pub(super) region: String,
    pub(super) path_style: bool,
    /// The certificate authorities of the server, in PEM.
    pub(super) ca: Option<String>,
}

/// Where the server is.
#[derive(PartialEq, Eq)]
pub(super) enum Endpoint {
    /// Amazon S3: the host depends on the region.
    Aws,
    /// A server, and whether it belongs to Amazon.
    Url { url: String, host: String, is_aws: bool },
}

impl Endpoint {
    fn of_host(host: &str, port: Option<u16>, tls: bool) -> Self {
        if host == AWS && port.is_none() && tls {
            return Self::Aws;
        }
        let scheme = if tls { "https" } else { "http" };
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let is_aws = AWS_DOMAINS.iter().any(|domain| host.ends_with(domain));
        Self::Url { url: format!("{scheme}://{host}{port}"), host: host.to_owned(), is_aws }
    }

    pub(super) fn is_aws(&self) -> bool {
        matches!(self, Self::Aws | Self::Url { is_aws: true, .. })
    }
}

/// Whether a text has the scheme `s3://`, or is a JSON object with a member that only secrets of an object store have.
pub(super) fn is_s3_secret(text: &str) -> bool {
    let ours = |object: Map<String, Value>| {
        ["accessKeyId", "secretAccessKey", "endpoint"].iter().any(|name| object.contains_key(*name))
    };
    text.starts_with(SCHEME) || serde_json::from_str(text).is_ok_and(ours)
}

impl Config {
    /// Where the server is, without credentials.
    pub(super) fn address(&self) -> String {
        match &self.endpoint {
            Endpoint::Aws => format!("{AWS}, {}", self.region),
            Endpoint::Url { url, .. } => url.clone(),
        }
    }

    /// Parses a secret. Fails with `secret-invalid`.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let config = match text.strip_prefix(SCHEME) {
            Some(rest) => of_uri(rest)?,
            None => of_json(text)?,
        };
        let header = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
        if !header(&config.access_key) || config.access_key.contains('/') {
            return Err(invalid("the access key is missing, or has characters that no access key has"));
        }
        if !header(&config.secret_key) {
            return Err(invalid("the secret access key is missing, or has characters that no secret access key has"));
        }
        if config.session_token.as_deref().is_some_and(|token| !header(token)) {
            return Err(invalid("sessionToken is empty, or has characters that no session token has"));
        }
        if !is_region(&config.region) {
            return Err(invalid(
                "region may only have lower-case letters, digits and `-`, with a letter or digit at both ends",
            ));
        }
        Ok(config)
    }
}

fn of_uri(rest: &str) -> Result<Config, Error> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let form = "the secret is not of the form s3://KEY:SECRET@HOST:PORT?region=REGION; percent-encode KEY and SECRET";
    if place.contains('#') || query.contains('#') {
        return Err(invalid(form));
    }
    let (credentials, host) = place.rsplit_once('@').ok_or_else(|| invalid(form))?;
    let (key, secret) = credentials.split_once(':').ok_or_else(|| invalid(form))?;
    if credentials.contains(['/', '@']) || secret.contains(':') {
        return Err(invalid("KEY and SECRET must be percent-encoded: `/` as %2F, `@` as %40, `:` as %3A"));
    }
    let (host, port) = host_and_port(host.strip_suffix('/').unwrap_or(host))?;
    let mut options = Options::default();
    for option in query.split('&').filter(|option| !option.is_empty()) {
        let Some((name, value)) = option.split_once('=') else {
            return Err(invalid(format!("an option of the secret has no value; the options are {OPTIONS}")));
        };
        options.set(name, decode(value)?)?;
    }
    let endpoint = Endpoint::of_host(&host, port, options.tls.unwrap_or(true));
    Ok(Config {
        access_key: decode(key)?,
        secret_key: decode(secret)?,
        session_token: options.session_token,
        region: options.region.unwrap_or_else(|| DEFAULT_REGION.to_owned()),
        path_style: options.path_style.unwrap_or(!endpoint.is_aws()),
        endpoint,
        ca: None,
    })
}

#[derive(Default)]
struct Options {
    region: Option<String>,
    tls: Option<bool>,
    path_style: Option<bool>,
    session_token: Option<String>,
}

impl Options {
    fn set(&mut self, name: &str, value: String) -> Result<(), Error> {
        let twice = match name {
            "region" => self.region.replace(value).is_some(),
            "sessionToken" => self.session_token.replace(value).is_some(),
            "tls" => self.tls.replace(boolean("tls", &value)?).is_some(),
            "pathStyle" => self.path_style.replace(boolean("pathStyle", &value)?).is_some(),
            _ => return Err(invalid(format!("the secret has an unknown option; the options are {OPTIONS}"))),
        };
        if twice { Err(invalid(format!("the secret has the option {name} twice"))) } else { Ok(()) }
    }
}

fn boolean(name: &str, value: &str) -> Result<bool, Error> {
    value.parse().map_err(|_| invalid(format!("{name} must be true or false")))
}

fn of_json(text: &str) -> Result<Config, Error> {
    let form = "the secret is neither s3://KEY:SECRET@HOST:PORT nor a JSON object";
    let mut object: Map<String, Value> = serde_json::from_str(text).map_err(|_| invalid(form))?;
    let mut take = |name: &str| match object.remove(name) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(invalid(format!("{name} of the secret must be a string"))),
    };
    let (access_key, secret_key) = (take("accessKeyId")?, take("secretAccessKey")?);
    let (session_token, region, ca) = (take("sessionToken")?, take("region")?, take("ca")?);
    let endpoint = take("endpoint")?.map_or(Ok(Endpoint::Aws), |url| endpoint(&url))?;
    let path_style = match object.remove("pathStyle") {
        Some(Value::Bool(is)) => is,
        None | Some(Value::Null) => !endpoint.is_aws(),
        Some(_) => return Err(invalid("pathStyle of the secret must be true or false")),
    };
    if !object.is_empty() {
        return Err(invalid(format!("the secret has an unknown member; the members are {MEMBERS}")));
    }
    let missing = |name: &str| invalid(format!("{name} is missing in the secret"));
    Ok(Config {
        access_key: access_key.ok_or_else(|| missing("accessKeyId"))?,
        secret_key: secret_key.ok_or_else(|| missing("secretAccessKey"))?,
        session_token,
        region: region.unwrap_or_else(|| DEFAULT_REGION.to_owned()),
        path_style,
        endpoint,
        ca,
    })
}

fn endpoint(url: &str) -> Result<Endpoint, Error> {
    let (tls, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Err(invalid("endpoint of the secret must begin with https:// or http://")),
    };
    let (host, port) = host_and_port(rest.strip_suffix('/').unwrap_or(rest))?;
    Ok(Endpoint::of_host(&host, port, tls))
}

fn host_and_port(text: &str) -> Result<(String, Option<u16>), Error> {
    let wrong = || invalid("the host or the port of the secret is not valid; a path is not allowed");
    // An IPv6 address is in brackets.
    let end = text.rfind(']').map_or(0, |end| end + 1);
    let (host, port) = match text[end..].split_once(':') {
        Some((rest, port)) => (&text[..end + rest.len()], Some(port)),
        None => (text, None),
    };
    let port = port.map(|port| port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(wrong)).transpose()?;
    let is_name =
        |host: &str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let valid = match address {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && is_name(host),
    };
    if valid { Ok((host.to_ascii_lowercase(), port)) } else { Err(wrong()) }
}

fn decode(text: &str) -> Result<String, Error> {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let digits = rest.as_bytes().get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
        if !digits {
            return Err(invalid("a `%` of the secret is not followed by two hexadecimal digits"));
        }
        rest = &rest[at + 1..];
    }
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| invalid("a part of the secret is not UTF-8"))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::SecretInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(config: &Config) -> &str {
        match &config.endpoint {
            Endpoint::Aws => "aws",
            Endpoint::Url { url, .. } => url,
        }
    }

    #[test]
    fn a_uri_names_credentials_host_and_options() {
        let text =
            "s3://KEY:a%2Fb%2Bc+d@Example.com:9000?region=eu-west-1&tls=false&pathStyle=false&sessionToken=t%2Ft";
        let config = Config::read(text).ok().unwrap();
        assert_eq!((config.access_key.as_str(), config.secret_key.as_str()), ("KEY", "a/b+c+d"));
        assert_eq!((url(&config), config.region.as_str()), ("http://example.com:9000", "eu-west-1"));
        assert_eq!((config.path_style, config.session_token.as_deref()), (false, Some("t/t")));
        let config = Config::read("s3://K:S@[::1]:9000/").ok().unwrap();
        assert_eq!((url(&config), config.path_style), ("https://[::1]:9000", true));
        let config = Config::read("s3://K:S@s3.amazonaws.com").ok().unwrap();
        assert_eq!((url(&config), config.path_style, config.region.as_str()), ("aws", false, "us-east-1"));
    }

    #[test]
    fn a_json_object_says_the_same() {
        let text = r#"{"accessKeyId":"K","secretAccessKey":"S/","endpoint":"http://h:1","region":"r","pathStyle":null,"ca":"PEM"}"#;
        let config = Config::read(text).ok().unwrap();
        assert_eq!((url(&config), config.secret_key.as_str(), config.path_style), ("http://h:1", "S/", true));
        assert_eq!(config.ca.as_deref(), Some("PEM"));
        let config = Config::read(r#"{"accessKeyId":"K","secretAccessKey":"S"}"#).ok().unwrap();
        assert_eq!((url(&config), config.path_style), ("aws", false));
        assert!(
            is_s3_secret(text)
                && is_s3_secret("s3://")
                && !is_s3_secret("{}")
                && !is_s3_secret("postgres://h")
                && !is_s3_secret("[]")
        );
    }

    #[test]
    fn anything_else_is_refused_and_not_shown() {
        let bad = [
            "s3://",
            "s3://canary",
            "s3://canary@h",
            "s3://K:canary",
            "s3://canary:S@",
            "s3://K:can/ary@h",
            "s3://K:can@ary@h",
            "s3://K:can:ary@h",
            "s3://K:canary%@h",
            "s3://K:canary%zz@h",
            "s3://K:%ffcanary@h",
            "s3://:canary@h",
            "s3://canary:@h",
            "s3://K:S@h:canary",
            "s3://K:S@h:0",
            "s3://K:S@h:70000",
            "s3://K:S@h/canary",
            "s3://K:S@[canary]",
            "s3://K:S@h#canary",
            "s3://K:S@h?canary=1",
            "s3://K:S@h?canary",
            "s3://K:S@h?tls=canary",
            "s3://K:S@h?region=can.ary",
            "s3://K:S@h?region=",
            "s3://K:S@h?region=canary-",
            "s3://K:S@h?region=a&region=canary",
            "s3://K:S@h?pathStyle=canary",
            "s3://K:S@h?sessionToken=",
            "s3://K%0a:canary@h",
            "s3://K:can%0aary@h",
            "s3://K:S@can ary",
            "",
            "canary",
            "{",
            "[\"canary\"]",
            "{\"canary\":1}",
            r#"{"accessKeyId":"canary"}"#,
            r#"{"secretAccessKey":"canary"}"#,
            r#"{"accessKeyId":1,"secretAccessKey":"canary"}"#,
            r#"{"accessKeyId":"K","secretAccessKey":"S","endpoint":"canary"}"#,
            r#"{"accessKeyId":"K","secretAccessKey":"S","endpoint":"https://h/canary"}"#,
            r#"{"accessKeyId":"K","secretAccessKey":"S","endpoint":"https://canary@h"}"#,
            r#"{"accessKeyId":"K","secretAccessKey":"S","canary":1}"#,
            r#"{"accessKeyId":"K","secretAccessKey":"S","pathStyle":"canary"}"#,
        ];
        for text in bad {
            let Err(error) = Config::read(text) else { panic!("{text} was read") };
            assert_eq!(error.code, ErrorCode::SecretInvalid, "{text}");
            assert!(!error.message.to_lowercase().contains("canary"), "{text}: {error}");
        }
    }
}
