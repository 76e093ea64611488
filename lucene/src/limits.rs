//! What a query may cost.

/// The limits of a query; beyond one, the error's code is [`Code::Limit`](crate::Code::Limit).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longest query, in bytes of UTF-8.
    pub query_bytes: usize,
    /// How many parentheses may be open at once.
    pub nesting: usize,
    /// How many clauses a query may have; the words that one unquoted text splits into count one each.
    pub clauses: usize,
    /// Longest regular expression, in characters.
    pub regex_characters: usize,
    /// Largest distance of a fuzzy term, in edits.
    pub fuzzy_distance: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self { query_bytes: 8 << 10, nesting: 64, clauses: 1_024, regex_characters: 256, fuzzy_distance: 2 }
    }
}
