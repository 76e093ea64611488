//! The limits of a query.

/// The limits of a query. A query that exceeds one fails with [`Code::Limit`](crate::Code::Limit).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum length of a query, in bytes of UTF-8.
    pub query_bytes: usize,
    /// The maximum nesting of parentheses.
    pub nesting: usize,
    /// The maximum number of clauses. Each word of an unquoted text counts as one.
    pub clauses: usize,
    /// The maximum length of a regular expression, in characters.
    pub regex_characters: usize,
    /// The maximum distance of a fuzzy term, in edits.
    pub fuzzy_distance: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self { query_bytes: 8 << 10, nesting: 64, clauses: 1_024, regex_characters: 256, fuzzy_distance: 2 }
    }
}
