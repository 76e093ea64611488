//! Names of tables, columns and schemas, which are exact: statements contain them in quotes.

use crate::Error;

/// The schema of a table when the script names none.
pub(super) const PUBLIC: &str = "public";

/// The longest name, in bytes. The server would cut a longer one, and find another table.
const NAME_BYTES: usize = 63;

/// Refuses a name that is empty, too long, or contains a NUL.
pub(super) fn check(what: &str, name: &str) -> Result<(), Error> {
    let bytes = name.len();
    match name {
        "" => Err(Error::invalid(format!("{what} is empty"))),
        _ if bytes > NAME_BYTES => Err(Error::invalid(format!("{what} is {bytes} bytes, the limit is {NAME_BYTES}"))),
        _ if name.contains('\0') => Err(Error::invalid(format!("{what} contains a NUL"))),
        _ => Ok(()),
    }
}

/// A name in a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A table in a statement.
pub(super) fn qualified(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_whatever_is_in_them() {
        assert_eq!(qualified("a b", "x\"; drop table \"y"), "\"a b\".\"x\"\"; drop table \"\"y\"");
    }

    #[test]
    fn a_name_that_the_server_would_cut_is_refused() {
        assert!(check("table", &"é".repeat(31)).is_ok());
        assert_eq!(check("table", &"é".repeat(32)).unwrap_err().message, "table is 64 bytes, the limit is 63");
        assert_eq!(check("columns[1]", "").unwrap_err().message, "columns[1] is empty");
        assert_eq!(check("schema", "a\0b").unwrap_err().message, "schema contains a NUL");
    }
}
