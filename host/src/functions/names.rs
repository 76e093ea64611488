//! The rules for the names of namespaces and functions.

use std::collections::BTreeSet;

use super::Functions;
use crate::Error;

const MAX_NAME: usize = 64;

/// Names with a meaning in JavaScript: members that every object has, and members that the language calls or reads by itself.
const TAKEN: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "prototype",
    "then",
    "toJSON",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// Checks all names. `namespaces` are those that `g` has.
pub(super) fn check(all: &[Functions], namespaces: &[&str]) -> Result<(), Error> {
    let mut seen: BTreeSet<&str> = namespaces.iter().copied().collect();
    for one in all {
        let namespace = &one.namespace;
        check_name("a namespace", namespace)?;
        if !seen.insert(namespace) {
            return Err(Error::invalid(format!("g.{namespace} exists already")));
        }
        let mut functions = BTreeSet::new();
        for (name, _) in &one.functions {
            check_name(&format!("a function of g.{namespace}"), name)?;
            if !functions.insert(name) {
                return Err(Error::invalid(format!("g.{namespace}.{name} exists already")));
            }
        }
    }
    Ok(())
}

fn check_name(what: &str, name: &str) -> Result<(), Error> {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$';
    let starts_well = name.bytes().next().is_some_and(is_letter);
    if !starts_well || name.len() > MAX_NAME || !name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit()) {
        let shown: String = name.chars().take(MAX_NAME).collect();
        return Err(Error::invalid(format!(
            "{shown:?} can't be the name of {what}: a name consists of letters, digits, _ and $, does not begin with a digit, and \
             has at most {MAX_NAME} characters"
        )));
    }
    if name.starts_with("__") || TAKEN.contains(&name) {
        return Err(Error::invalid(format!("{name:?} can't be the name of {what}: it has a meaning in JavaScript")));
    }
    Ok(())
}
