//! What of a connection string a server's words may repeat, and a script must not see.

use serde_json::Value;

use super::{address::APPLICATION_NAME, wire::Config};
use crate::Error;

/// A shorter word stands everywhere.
const SHORTEST: usize = 3;

/// Parts of a connection string.
pub(super) struct Hidden(Vec<String>);

impl Hidden {
    pub(super) fn of(config: &Config) -> Self {
        let always = [config.user.as_str(), config.application_name.as_str()];
        let names = [config.dbname.as_deref(), config.password.as_deref()].into_iter().flatten().chain(always);
        // `-c search_path=a`: the setting is no secret, its value is.
        let settings = config.options.as_deref().unwrap_or_default().split_whitespace();
        let values = settings.filter_map(|setting| setting.split_once('=')).map(|(_, value)| value);
        let texts = names.chain(values);
        let texts = texts.filter(|text| text.chars().count() >= SHORTEST && *text != APPLICATION_NAME);
        Self(texts.map(ToOwned::to_owned).collect())
    }

    /// The same error without them. What the script wrote itself is no secret: a table may be named as the database is.
    pub(super) fn hide(&self, mut error: Error, sql: Option<&str>) -> Error {
        for hidden in self.0.iter().filter(|hidden| !sql.is_some_and(|sql| sql.contains(hidden.as_str()))) {
            error.message = without(&error.message, hidden);
            if let Some(Value::Object(details)) = &mut error.details {
                details.values_mut().for_each(|value| {
                    if let Value::String(text) = value {
                        *text = without(text, hidden);
                    }
                });
            }
        }
        error
    }
}

/// The text without a word: not where it is part of another.
fn without(text: &str, hidden: &str) -> String {
    let part_of_word = |one: char| one.is_alphanumeric() || one == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(hidden) {
        let (before, after) = (&rest[..at], &rest[at + hidden.len()..]);
        let alone = !before.ends_with(part_of_word) && !after.starts_with(part_of_word);
        out += before;
        out += if alone { "(not shown)" } else { hidden };
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ErrorCode;

    #[test]
    fn what_the_script_did_not_write_is_hidden() {
        let config = Config {
            user: "canary".to_owned(),
            dbname: Some("orders".to_owned()),
            password: Some("hunter2".to_owned()),
            application_name: "a".to_owned(),
            options: Some("-c search_path=mine".to_owned()),
            ..Config::default()
        };
        let hidden = Hidden::of(&config);
        let error = |message: &str| {
            Error::new(ErrorCode::Backend, message).detailed(Some(json!({ "detail": message, "position": 1 })))
        };
        let denied = hidden
            .hide(error("permission denied for database orders of canary: hunter2 mine"), Some("create schema a"));
        assert_eq!(
            denied.message,
            "permission denied for database (not shown) of (not shown): (not shown) (not shown)"
        );
        assert_eq!(denied.details, Some(json!({ "detail": denied.message, "position": 1 })));
        let own =
            hidden.hide(error("relation \"orders\" does not exist, orders_2 neither"), Some("select * from orders"));
        assert_eq!(own.message, "relation \"orders\" does not exist, orders_2 neither");
    }
}
