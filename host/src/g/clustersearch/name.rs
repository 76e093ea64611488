//! Checks names of indices and ids of documents, before they become part of a path.

use crate::Error;

/// The longest name of an index, in bytes.
const NAME_BYTES: usize = 255;
/// The longest id of a document, in bytes.
const ID_BYTES: usize = 512;
/// The characters that the server does not allow in a name.
const FORBIDDEN: &str = "\\/*?\"<>|,#: ";

/// Refuses a name that is not the name of one index, by the rules of the server.
///
/// No request can therefore concern several indices: `_all` is refused, and wildcards, lists, date expressions and
/// names of other clusters require a character that is not allowed.
pub(super) fn check_index(name: &str) -> Result<(), Error> {
    let invalid = |what: &str| Err(Error::invalid(format!("indexName {what}")));
    let bytes = name.len();
    if name.is_empty() {
        return invalid("is empty");
    }
    if bytes > NAME_BYTES {
        return invalid(&format!("is {bytes} bytes, the limit is {NAME_BYTES}"));
    }
    if name == "_all" {
        return invalid("is \"_all\", but must be the name of one index");
    }
    if matches!(name, "." | "..") {
        return invalid(&format!("is {name:?}, which is not the name of an index"));
    }
    if let Some(first) = name.chars().next().filter(|first| matches!(first, '-' | '_' | '+')) {
        return invalid(&format!("begins with {first:?}, which is not allowed"));
    }
    if let Some(found) = name.chars().find(|one| one.is_control() || one.is_whitespace() || FORBIDDEN.contains(*one)) {
        return invalid(&format!(
            "contains {found:?}; it must be the name of one index, without \\ / * ? \" < > | , # : and space"
        ));
    }
    if name.to_lowercase() != name {
        return invalid("contains upper case, but must be in lower case");
    }
    Ok(())
}

/// Refuses an id that the server does not allow, or that a path can't contain. `what` names it in errors.
pub(super) fn check_id(what: &str, id: &str) -> Result<(), Error> {
    let bytes = id.len();
    if id.is_empty() {
        return Err(Error::invalid(format!("{what} is empty")));
    }
    if bytes > ID_BYTES {
        return Err(Error::invalid(format!("{what} is {bytes} bytes, the limit is {ID_BYTES}")));
    }
    // A path can't contain these two, not even percent-encoded.
    if matches!(id, "." | "..") {
        return Err(Error::invalid(format!("{what} is {id:?}, which is not allowed")));
    }
    match id.chars().find(|one| one.is_control()) {
        Some(found) => Err(Error::invalid(format!("{what} contains {found:?}; control characters are not allowed"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_one_index_is_allowed() {
        let long = "é".repeat(127);
        for name in ["a", "orders-2026.01", ".hidden", "a%2fb", "größe", "a_b", "a+b", "...", long.as_str()] {
            assert!(check_index(name).is_ok(), "{name}");
        }
        let refused = [
            "",
            ".",
            "..",
            "_all",
            "_x",
            "-a",
            "+a",
            "*",
            "a*",
            "a,b",
            "a/b",
            "../a",
            "a\\b",
            "a?b",
            "a\"",
            "<a-{now/d}>",
            "a|b",
            "a#b",
            "a b",
            "c:a",
            "Orders",
            "ÄA",
            "a\0",
            "a\nb",
            "a\u{7f}",
            "a\u{a0}b",
            "%2F",
        ];
        for name in refused {
            let error = check_index(name).unwrap_err();
            assert!(error.message.starts_with("indexName "), "{name}: {error}");
        }
        let message = check_index(&"a".repeat(256)).unwrap_err().message;
        assert_eq!(message, "indexName is 256 bytes, the limit is 255");
    }

    #[test]
    fn an_id_is_anything_that_a_path_can_contain() {
        for id in ["a", "a/b", "../a", "a,b*c", "_x", "%2e%2e", "é 😀", "?q#f"] {
            assert!(check_id("id", id).is_ok(), "{id}");
        }
        let refused =
            [("", "id is empty"), (".", "id is \".\","), ("..", "id is \"..\","), ("a\0", "id contains '\\0';")];
        for (id, expected) in refused {
            assert!(check_id("id", id).unwrap_err().message.starts_with(expected), "{id}");
        }
        assert_eq!(check_id("id", &"x".repeat(513)).unwrap_err().message, "id is 513 bytes, the limit is 512");
    }
}
