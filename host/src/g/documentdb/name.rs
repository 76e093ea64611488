//! The names of databases, collections and members, as MongoDB allows them.

use crate::Error;

/// The longest name of a database, in bytes.
const MAX_DATABASE: usize = 63;
/// The longest name of a collection together with the name of its database and the dot between them, in bytes.
const MAX_COLLECTION: usize = 255;

/// Checks the name of a database.
pub(super) fn database(name: &str) -> Result<(), Error> {
    length("db", name, MAX_DATABASE)?;
    characters("db", name, "/\\. \"$")
}

/// Checks the names of a database and of a collection in it.
pub(super) fn collection(db: &str, name: &str) -> Result<(), Error> {
    database(db)?;
    length("collection", name, MAX_COLLECTION - db.len() - 1)?;
    characters("collection", name, "$")?;
    if name.starts_with('.') || name.ends_with('.') || name.contains("..") {
        return Err(Error::invalid("collection must not begin or end with a dot, or have two in a row"));
    }
    Ok(())
}

/// Checks the path of a member.
pub(super) fn field(name: &str) -> Result<(), Error> {
    if name.is_empty() {
        return Err(Error::invalid("fieldName is empty"));
    }
    if name.contains('\0') { Err(Error::invalid("fieldName contains NUL")) } else { Ok(()) }
}

fn length(what: &str, name: &str, most: usize) -> Result<(), Error> {
    match name.len() {
        0 => Err(Error::invalid(format!("{what} is empty"))),
        bytes if bytes > most => Err(Error::invalid(format!("{what} is {bytes} bytes, the limit is {most}"))),
        _ => Ok(()),
    }
}

fn characters(what: &str, name: &str, refused: &str) -> Result<(), Error> {
    match name.chars().find(|one| one.is_control() || refused.contains(*one)) {
        Some(one) => Err(Error::invalid(format!("{what} contains {one:?}, which MongoDB does not allow"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mongodb_does_not_allow_are_refused() {
        for name in ["", "a/b", "..", "a.b", "a\\b", "a b", "a\"", "$a", "a\0", "a\u{7f}", &"x".repeat(64)] {
            assert!(database(name).is_err(), "{name:?}");
        }
        for name in ["", ".", "..", ".a", "a.", "a..b", "a$", "a\0b", "\u{1}", &"x".repeat(254)] {
            assert!(collection("d", name).is_err(), "{name:?}");
        }
        for name in ["a", "%2F", "system.js", "a/b", "Ärger", &"x".repeat(253)] {
            assert!(collection("d", name).is_ok(), "{name:?}");
        }
        assert!(database("%2F").is_ok() && database(&"x".repeat(63)).is_ok());
    }
}
