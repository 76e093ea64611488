//! Removes the words of secrets from errors: a server may repeat them, and a script must not see them.

use serde_json::Value;

use super::Arguments;
use crate::Error;

/// Shorter words are not redacted, because they occur in too many texts.
const MIN_WORD_CHARS: usize = 3;

/// Words of the secrets that the calls of a run have used.
#[derive(Default)]
pub(super) struct Redactor(Vec<String>);

impl Redactor {
    /// Adds the words of a secret that are long enough.
    pub(super) fn add(&mut self, words: &[String]) {
        for word in words.iter().filter(|word| word.chars().count() >= MIN_WORD_CHARS) {
            if !self.0.contains(word) {
                self.0.push(word.clone());
            }
        }
    }

    /// Returns the text without these words, except those for which `is_given` returns true: the script passed them
    /// itself.
    pub(super) fn redact_text(&self, text: &str, is_given: impl Fn(&str) -> bool) -> String {
        let words = self.0.iter().filter(|word| text.contains(word.as_str()) && !is_given(word));
        words.fold(text.to_owned(), |text, word| without(&text, word))
    }

    /// Returns the error without these words, except those in the call's arguments: a table may have the name of the
    /// database.
    pub(super) fn redact(&self, mut error: Error, arguments: &impl Arguments) -> Error {
        for word in self.0.iter().filter(|word| !arguments.contain(word)) {
            error.message = without(&error.message, word);
            if let Some(details) = &mut error.details {
                redact_value(details, word);
            }
        }
        error
    }
}

/// Replaces a word in all texts of a value. Its members come from a server, but they are nested no deeper than its parser
/// allows.
fn redact_value(value: &mut Value, hidden: &str) {
    match value {
        Value::String(text) => *text = without(text, hidden),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(item, hidden)),
        Value::Object(members) => members.values_mut().for_each(|member| redact_value(member, hidden)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces a word in a text, except where it is part of another word.
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
    fn words_that_are_not_in_the_arguments_are_redacted() {
        let mut redactor = Redactor::default();
        redactor.add(&["canary", "orders", "hunter2", "mine", "a"].map(ToOwned::to_owned));
        let redact = |message: &str, sql: &str| {
            let error = Error::new(ErrorCode::Backend, message);
            let error =
                error.detailed(Some(json!({ "detail": message, "position": 1, "causes": [{ "reason": message }] })));
            redactor.redact(error, &(sql.to_owned(),))
        };
        let denied = redact("permission denied for database orders of canary: hunter2 mine", "create schema a");
        assert_eq!(
            denied.message,
            "permission denied for database (not shown) of (not shown): (not shown) (not shown)"
        );
        let causes = [json!({ "reason": denied.message })];
        assert_eq!(denied.details, Some(json!({ "detail": denied.message, "position": 1, "causes": causes })));
        let own = redact("relation \"orders\" does not exist, orders_2 neither", "select * from orders");
        assert_eq!(own.message, "relation \"orders\" does not exist, orders_2 neither");
    }
}
