//! The prose of the WIT as a reader of JavaScript wants it: names in camel case, error codes in capitals.

use anyhow::{Result, bail};

use crate::{
    docs::Docs,
    model::{Case, Model},
    name::Name,
};

/// Prose, and the error codes that it says a call fails with.
#[derive(Debug, Default, PartialEq)]
pub struct Prose {
    /// As Markdown.
    pub text: String,
    /// In capitals, in the order of the text.
    pub codes: Vec<String>,
}

/// What follows "fails with", and "with" or "or" behind that, is an error code and must be a known one.
pub fn prose(model: &Model, docs: &Docs) -> Result<Prose> {
    let mut prose = Prose::default();
    let (mut failing, mut after_code) = (false, false);
    for (index, part) in docs.text.split('`').enumerate() {
        if index % 2 == 0 {
            failing = expects_code(part, failing, after_code);
            prose.text += part;
            continue;
        }
        after_code = failing;
        let shown = if failing { code(&model.codes, part)? } else { in_javascript(part) };
        if failing && !prose.codes.contains(&shown) {
            prose.codes.push(shown.clone());
        }
        prose.text += &format!("`{shown}`");
    }
    Ok(prose)
}

/// Whether an error code comes next. `failing` says that one came before in the same sentence.
fn expects_code(between: &str, failing: bool, after_code: bool) -> bool {
    let words: Vec<_> = between.split_whitespace().collect();
    match words.as_slice() {
        [.., fails, "with"] if fails.eq_ignore_ascii_case("fails") => true,
        ["or" | "and"] | [","] => failing && after_code,
        [.., "with"] => after_code && !between.contains(". "),
        _ => false,
    }
}

fn code(codes: &[Case], word: &str) -> Result<String> {
    match codes.iter().find(|code| code.name.kebab() == word) {
        Some(code) => Ok(code.name.screaming()),
        None => bail!("fails with `{word}`, which is no error code"),
    }
}

fn in_javascript(word: &str) -> String {
    let kebab = word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.split('-').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric()));
    if kebab { Name::new(word).camel() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Prose> {
        let case = |name: &str| Case { name: Name::new(name), docs: Docs::default() };
        let codes = ["not-found", "limit", "busy"].map(case).into();
        prose(&Model { codes, ..Model::default() }, &Docs { text: text.to_owned(), ..Docs::default() })
    }

    #[test]
    fn names_are_written_as_in_javascript() {
        let prose = read("Sorted by `created-at`, at most `limit`; `a - b`, `x-1`").unwrap();
        assert_eq!(prose.text, "Sorted by `createdAt`, at most `limit`; `a - b`, `x1`");
        assert!(prose.codes.is_empty());
    }

    #[test]
    fn error_codes_are_found_and_written_in_capitals() {
        let prose = read("The `limit`. Fails with `limit` when full, with `not-found` or `busy` else.").unwrap();
        assert_eq!(prose.text, "The `limit`. Fails with `LIMIT` when full, with `NOT_FOUND` or `BUSY` else.");
        assert_eq!(prose.codes, ["LIMIT", "NOT_FOUND", "BUSY"]);
    }

    #[test]
    fn an_unknown_error_code_is_refused() {
        let error = read("Fails with `not-there`.").unwrap_err().to_string();
        assert_eq!(error, "fails with `not-there`, which is no error code");
    }
}
