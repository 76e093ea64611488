//! What is asked of a million documents.

use super::words::word;

/// How many documents are read for each.
pub const PAGE: usize = 100;

/// How many questions of a kind.
const QUESTIONS: usize = 20;

pub enum Question {
    Word(String),
    Boolean([String; 3]),
    Any([String; 3]),
    Phrase([String; 2]),
    Prefix(String),
    Fuzzy(String),
    Range(i64, i64),
}

impl Question {
    /// In the query language.
    pub fn text(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Boolean([one, two, not]) => format!("+{one} +{two} -{not}"),
            Self::Any(words) => words.join(" OR "),
            Self::Phrase(words) => format!("\"{}\"", words.join(" ")),
            Self::Prefix(start) => format!("{start}*"),
            Self::Fuzzy(word) => format!("{word}~1"),
            Self::Range(first, last) => format!("year:[{first} TO {last}]"),
        }
    }
}

/// All kinds, each with a name.
pub fn kinds() -> Vec<(&'static str, Vec<Question>)> {
    let each = |ask: fn(usize) -> Question| (0..QUESTIONS).map(|number| ask(number * 7)).collect();
    vec![
        ("a word", each(|number| Question::Word(word(number)))),
        ("`+a +b -c`", each(|number| Question::Boolean([word(number), word(number + 1), word(number + 2)]))),
        ("`a OR b OR c`", each(|number| Question::Any([word(number), word(number + 1), word(number + 2)]))),
        ("a phrase", each(|number| Question::Phrase([word(number), word(number + 1)]))),
        // Of four letters or five: some forty words.
        ("a prefix", each(|number| Question::Prefix(word(number)[..4].into()))),
        ("a fuzzy word", each(|number| Question::Fuzzy(word(number)))),
        ("a range of numbers", each(|number| Question::Range(1_900 + number as i64 / 2, 1_903 + number as i64 / 2))),
    ]
}
