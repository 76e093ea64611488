//! A name in the conventions of each language.

use std::fmt;

/// A name, stored in kebab case like in the WIT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Creates a name from its kebab case.
    pub fn new(kebab: impl Into<String>) -> Self {
        Self(kebab.into())
    }

    /// In WIT: `store-doc`.
    pub fn kebab(&self) -> &str {
        &self.0
    }

    /// A member in JavaScript: `storeDoc`.
    pub fn camel(&self) -> String {
        let pascal = self.pascal();
        pascal[..1].to_ascii_lowercase() + &pascal[1..]
    }

    /// A type: `StoreDoc`.
    pub fn pascal(&self) -> String {
        self.0.split('-').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
    }

    /// A constant, or an error code in JavaScript: `STORE_DOC`.
    pub fn screaming(&self) -> String {
        self.0.replace('-', "_").to_ascii_uppercase()
    }

    /// A Rust identifier like in wit-bindgen: `store_doc`, and `type_` for a keyword.
    pub fn snake(&self) -> String {
        let snake = self.0.replace('-', "_");
        if KEYWORDS.contains(&snake.as_str()) { snake + "_" } else { snake }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_spelled_for_every_language() {
        let name = Name::new("created-at");
        assert_eq!(name.camel(), "createdAt");
        assert_eq!(name.pascal(), "CreatedAt");
        assert_eq!(name.snake(), "created_at");
        assert_eq!(name.screaming(), "CREATED_AT");
    }

    #[test]
    fn a_keyword_of_rust_gets_a_line_below() {
        assert_eq!(Name::new("type").snake(), "type_");
        assert_eq!(Name::new("type").camel(), "type");
    }
}
