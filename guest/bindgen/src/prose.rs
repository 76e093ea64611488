//! Converts the prose of the WIT for JavaScript: names in camel case.

use crate::{docs::Docs, name::Name};

/// Returns the text of a comment as Markdown, with names in backticks in camel case.
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
