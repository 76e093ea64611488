//! The prose of the WIT as a reader of JavaScript wants it: names in camel case.

use crate::{docs::Docs, name::Name};

/// The text of a comment as Markdown. What stands in backticks as a name of the WIT is written as in JavaScript.
pub fn prose(docs: &Docs) -> String {
    let parts = docs.text.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 0 { part.to_owned() } else { format!("`{}`", in_javascript(part)) })
        .collect()
}

fn in_javascript(word: &str) -> String {
    let kebab = word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.split('-').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric()));
    if kebab { Name::new(word).camel() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_in_javascript() {
        let text = "Sorted by `created-at`, at most `limit`; `a - b`, `x-1`. Fails with `NOT_FOUND`.";
        let docs = Docs { text: text.to_owned(), ..Docs::default() };
        assert_eq!(prose(&docs), "Sorted by `createdAt`, at most `limit`; `a - b`, `x1`. Fails with `NOT_FOUND`.");
    }
}
