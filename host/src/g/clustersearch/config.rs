//! The configuration of connections, from the JSON of a secret.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use elasticsearch::http::{Url, headers::HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::{Error, ErrorCode, gate::tls};

/// The members of a secret.
const MEMBERS: [&str; 5] = ["url", "apiKey", "username", "password", "ca"];

/// The maximum length of the header with the credentials, in bytes. Servers refuse a request whose headers have more
/// than 8 KiB in total.
const CREDENTIAL_BYTES: usize = 4 << 10;

/// Where to connect, and how.
pub(super) struct Config {
    /// Scheme, host, port and path, without a slash at its end.
    pub(super) base: String,
    /// Whether the connection is encrypted.
    pub(super) is_tls: bool,
    /// The value of the header `Authorization`.
    pub(super) authorization: Option<HeaderValue>,
    /// The trusted authorities, as PEM; `None` for the system's.
    pub(super) ca: Option<String>,
    /// The words of the secret that are removed from errors.
    pub(super) words: Arc<[String]>,
}

/// Whether a text is a JSON object with the member `url`.
pub(super) fn is_cluster_secret(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok_and(|members| members.contains_key("url"))
}

impl Config {
    /// Parses a secret.
    ///
    /// Fails with `secret-invalid`. The error names a known member; it shows neither an unknown one nor a value.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let members: Map<String, Value> = serde_json::from_str(text)
            .map_err(|_| invalid(format!("the secret is not a JSON object with the members {}", MEMBERS.join(", "))))?;
        if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            let (length, known) = (unknown.chars().count(), MEMBERS.join(", "));
            let message =
                format!("the secret has an unknown member ({length} characters, not shown); known are {known}");
            return Err(invalid(message));
        }
        let member = |name: &str| match members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Err(invalid(format!("{name} of the secret is empty"))),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(invalid(format!("{name} of the secret must be a string"))),
        };
        let url = read_url(member("url")?.ok_or_else(|| invalid("the secret has no url"))?)?;
        let credentials = Credentials::read(member("apiKey")?, member("username")?, member("password")?)?;
        let is_tls = url.scheme() == "https";
        if !is_tls && credentials.is_some() && !is_this_machine(&url) {
            let message = "url of the secret begins with http://, which would send its credentials unencrypted to \
                           another machine; use https://";
            return Err(invalid(message));
        }
        let ca = member("ca")?;
        if let Some(pem) = ca {
            if !is_tls {
                return Err(invalid("the secret has a ca, but its url begins with http://"));
            }
            tls::roots(tls::Trust::Only(pem.as_bytes()))?;
        }
        let words = words(&url, credentials.as_ref()).into();
        let authorization = credentials.as_ref().map(Credentials::header).transpose()?;
        let base = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { base, is_tls, authorization, ca: ca.map(ToOwned::to_owned), words })
    }
}

fn read_url(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text).map_err(|_| invalid("url of the secret is not a URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("url of the secret must begin with https:// or http://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("url of the secret contains credentials; use its members username and password for them"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("url of the secret must end with the path, without `?` and `#`"));
    }
    if url.port() == Some(0) {
        return Err(invalid("the port in url of the secret must be a whole number from 1 to 65535"));
    }
    Ok(url)
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    tls::is_this_machine(host.trim_start_matches('[').trim_end_matches(']'))
}

/// The credentials of a secret. Has no `Debug`, since that would show the password.
enum Credentials<'a> {
    /// The id and the key in base64.
    ApiKey(String),
    Basic(&'a str, &'a str),
}

impl<'a> Credentials<'a> {
    fn read(key: Option<&str>, username: Option<&'a str>, password: Option<&'a str>) -> Result<Option<Self>, Error> {
        match (key, username, password) {
            (None, None, None) => Ok(None),
            // Elasticsearch returns a key in two forms: `encoded`, and `id` and `api_key`, which are here joined by a
            // colon.
            (Some(key), None, None) if key.contains(':') => Ok(Some(Self::ApiKey(BASE64.encode(key)))),
            (Some(key), None, None) => Ok(Some(Self::ApiKey(key.to_owned()))),
            (Some(_), ..) => Err(invalid("the secret has an apiKey, and a username or password; one kind is allowed")),
            (None, Some(name), _) if name.contains(':') => {
                Err(invalid("username of the secret contains a colon, which basic authentication can't represent"))
            }
            (None, Some(name), Some(password)) => Ok(Some(Self::Basic(name, password))),
            (None, Some(_), None) => Err(invalid("the secret has a username, but no password")),
            (None, None, Some(_)) => Err(invalid("the secret has a password, but no username")),
        }
    }

    fn header(&self) -> Result<HeaderValue, Error> {
        let (member, text) = match self {
            Self::ApiKey(key) => ("apiKey", format!("ApiKey {key}")),
            Self::Basic(name, password) => {
                ("password", format!("Basic {}", BASE64.encode(format!("{name}:{password}"))))
            }
        };
        if text.len() > CREDENTIAL_BYTES {
            return Err(invalid(format!("{member} of the secret is too long, the limit is about 3,000 bytes")));
        }
        let is_visible = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let header = HeaderValue::from_str(&text).ok().filter(|_| is_visible);
        let mut header =
            header.ok_or_else(|| invalid("apiKey of the secret contains characters that are not allowed"))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

/// Returns the words of a secret that a server's errors may repeat, in all forms in which they may occur there.
fn words(url: &Url, credentials: Option<&Credentials<'_>>) -> Vec<String> {
    let mut words: Vec<String> = url.host_str().map(ToOwned::to_owned).into_iter().collect();
    words.extend(Some(url.path().trim_matches('/').to_owned()).filter(|path| !path.is_empty()));
    match credentials {
        Some(Credentials::ApiKey(key)) => {
            words.push(key.clone());
            let decoded = BASE64.decode(key).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            words.extend(decoded.iter().flat_map(|pair| pair.split(':').chain([pair.as_str()])).map(ToOwned::to_owned));
        }
        Some(Credentials::Basic(name, password)) => {
            words.extend([*name, *password].map(ToOwned::to_owned));
            words.push(format!("{name}:{password}"));
        }
        None => {}
    }
    let encoded =
        words.iter().flat_map(|word| [utf8_percent_encode(word, NON_ALPHANUMERIC).to_string(), BASE64.encode(word)]);
    let encoded: Vec<_> = encoded.collect();
    words.extend(encoded);
    words.retain(|word| !word.is_empty());
    // Longer words come first: a word is redacted before the words that it contains.
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::SecretInvalid, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(secret: &Value) -> Config {
        Config::read(&secret.to_string()).unwrap_or_else(|error| panic!("{secret}: {error}"))
    }

    #[track_caller]
    fn refused(secret: &Value, expected: &str) {
        let error = Config::read(&secret.to_string()).map(drop).unwrap_err();
        assert_eq!(error.code, ErrorCode::SecretInvalid);
        assert!(error.message.contains(expected), "{secret}: {error}");
        assert!(!error.message.contains("canary"), "{error}");
    }

    fn authorization(secret: &Value) -> Option<String> {
        config(secret).authorization.map(|header| {
            assert!(header.is_sensitive() && !format!("{header:?}").contains("dT"), "{header:?}");
            header.to_str().unwrap().to_owned()
        })
    }

    #[test]
    fn a_url_ends_where_the_paths_of_requests_begin() {
        let base = |url: &str| config(&json!({ "url": url })).base;
        assert_eq!(base("https://host.example:9243"), "https://host.example:9243");
        assert_eq!(base("https://host.example/search/"), "https://host.example/search");
        assert_eq!(base("http://[::1]:9200/"), "http://[::1]:9200");
    }

    #[test]
    fn credentials_become_a_header_that_is_not_shown() {
        assert_eq!(authorization(&json!({ "url": "https://h" })), None);
        let basic = json!({ "url": "https://h", "username": "u", "password": "p:w" });
        assert_eq!(authorization(&basic).unwrap(), "Basic dTpwOnc=");
        for key in ["dTpw", "u:p"] {
            assert_eq!(authorization(&json!({ "url": "https://h", "apiKey": key })).unwrap(), "ApiKey dTpw");
        }
    }

    #[test]
    fn credentials_are_sent_unencrypted_only_to_this_machine() {
        for host in ["localhost", "127.0.0.1:9200", "[::1]:9200"] {
            assert!(!config(&json!({ "url": format!("http://{host}"), "username": "u", "password": "p" })).is_tls);
        }
        assert!(!config(&json!({ "url": "http://host.example" })).is_tls, "there is nothing to steal");
        refused(&json!({ "url": "http://canary.example", "apiKey": "canary" }), "use https://");
        refused(&json!({ "url": "http://127.0.0.1.canary.example", "apiKey": "canary" }), "use https://");
        assert!(config(&json!({ "url": "https://host.example", "apiKey": "k" })).is_tls);
    }

    #[test]
    fn an_invalid_secret_is_refused_and_no_value_is_shown() {
        let with = |name: &str, value: Value| json!({ "url": "https://canary", name: value });
        refused(&json!([]), "not a JSON object");
        refused(&json!({}), "has no url");
        refused(&json!({ "url": 5 }), "url of the secret must be a string");
        refused(&json!({ "url": "canary" }), "is not a URL");
        refused(&json!({ "url": "ftp://canary" }), "must begin with https:// or http://");
        refused(&json!({ "url": "https://canary:x@h" }), "use its members username and password");
        refused(&json!({ "url": "https://h?canary" }), "without `?` and `#`");
        refused(&json!({ "url": "https://h:0" }), "from 1 to 65535");
        refused(&with("canary", json!(1)), "an unknown member (6 characters, not shown)");
        refused(&with("username", json!("canary")), "a username, but no password");
        refused(&with("password", json!("canary")), "a password, but no username");
        refused(&with("apiKey", json!("")), "apiKey of the secret is empty");
        refused(&with("apiKey", json!("canary\n")), "characters that are not allowed");
        refused(&with("apiKey", json!("c".repeat(5_000))), "too long");
        refused(&with("ca", json!("canary")), "not in PEM");
        refused(&json!({ "url": "http://localhost", "ca": "canary" }), "begins with http://");
        refused(&json!({ "url": "https://h", "apiKey": "a", "username": "canary" }), "one kind is allowed");
        refused(&json!({ "url": "https://h", "username": "a:canary", "password": "p" }), "contains a colon");
    }

    #[test]
    fn a_secret_is_distinguished_from_those_of_other_namespaces() {
        assert!(is_cluster_secret(r#"{"url":"https://h"}"#));
        for text in ["", "postgres://h", "mongodb://h", "s3://k:s@h", "{}", r#"{"endpoint":"https://h"}"#, "[1]"] {
            assert!(!is_cluster_secret(text), "{text}");
        }
    }

    #[test]
    fn every_form_of_a_credential_is_a_word_of_the_secret() {
        let words =
            config(&json!({ "url": "https://host.example/a/b", "username": "me", "password": "pass/word" })).words;
        let login = BASE64.encode("me:pass/word");
        for word in ["host.example", "a/b", "me", "pass/word", "pass%2Fword", "me:pass/word", login.as_str()] {
            assert!(words.iter().any(|one| one == word), "{word}: {words:?}");
        }
        let key = BASE64.encode("the-id:the-key");
        let words = config(&json!({ "url": "https://h", "apiKey": key.clone() })).words;
        for word in ["the-id", "the-key", "the-id:the-key", key.as_str(), BASE64.encode("the-key").as_str()] {
            assert!(words.iter().any(|one| one == word), "{word}: {words:?}");
        }
    }
}
