//! Splits a text into words like Lucene's StandardAnalyzer.
//!
//! Unlike in Elasticsearch 7.17, letters that are newer than its Unicode tables are words, and so is 〆. No word is
//! dropped, stemmed or normalised. The index and the queries must both use these words.

use std::{iter::Peekable, ops::Range};

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_segmentation::{UWordBoundIndices, UnicodeSegmentation};

/// The maximum length of a word, in UTF-16 units; the rest of a longer one is the next word.
pub const LONGEST_WORD: usize = 255;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, lower-cased.
    pub text: String,
    /// The byte offset of its start in the text.
    pub start: usize,
    /// The byte offset of its end in the text.
    pub end: usize,
}

/// Returns the words of a text, in order. The position of a word in phrases is its index.
pub fn words(text: &str) -> Vec<Word> {
    let word = |Range { start, end }| Word { text: lower(&text[start..end]), start, end };
    Scan::of(text).flatten().map(word).collect()
}

/// An iterator over a text: the ranges of its words, and none for each part between them, so that a caller can stop at
/// any point of a long text.
pub struct Scan<'t> {
    text: &'t str,
    segments: Peekable<UWordBoundIndices<'t>>,
    /// The rest of a long word.
    rest: Range<usize>,
}

impl<'t> Scan<'t> {
    /// Starts at the beginning of a text.
    pub fn of(text: &'t str) -> Self {
        Self { text, segments: text.split_word_bound_indices().peekable(), rest: 0..0 }
    }

    /// Returns the next part of a long word.
    fn part(&mut self) -> Range<usize> {
        let Range { start, end } = self.rest.clone();
        let mut units = 0;
        for (offset, character) in self.text[start..end].char_indices() {
            units += character.len_utf16();
            if units > LONGEST_WORD {
                self.rest.start = start + offset;
                return start..start + offset;
            }
        }
        self.rest.start = end;
        start..end
    }
}

impl Iterator for Scan<'_> {
    type Item = Option<Range<usize>>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.rest.is_empty() {
            return Some(Some(self.part()));
        }
        let (start, segment) = self.segments.next()?;
        let mut end = start + segment.len();
        if is_complex(segment) {
            // Scripts without spaces would need a dictionary to split; a run of them is one word.
            while let Some((next, more)) = self.segments.next_if(|(_, next)| is_complex(next)) {
                end = next + more.len();
            }
        }
        if !is_word(segment) {
            return Some(None);
        }
        self.rest = start..end;
        Some(Some(self.part()))
    }
}

/// Converts a text to lower case like Java: each code point on its own.
pub fn lower(text: &str) -> String {
    text.chars().map(lower_character).collect()
}

/// Converts a character to lower case.
pub fn lower_character(character: char) -> char {
    match character {
        'a'..='z' => character,
        _ => character.to_lowercase().next().unwrap_or(character),
    }
}

fn is_word(segment: &str) -> bool {
    is_complex(segment) || segment.chars().any(is_word_character) || is_emoji(segment)
}

/// Whether a character is a letter or a decimal digit. ², ① and a mark without a letter are not words.
fn is_word_character(character: char) -> bool {
    use GeneralCategory::{DecimalNumber, NonspacingMark, SpacingMark};
    let category = character.general_category();
    category == DecimalNumber
        || character.is_alphabetic() && !matches!(category, NonspacingMark | SpacingMark)
        || is_radical_or_squared_kana(character)
}

/// Whether a character is a Han or katakana symbol that is not a letter.
fn is_radical_or_squared_kana(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{2e99}' | '\u{2e9b}'..='\u{2ef3}' | '\u{2f00}'..='\u{2fd5}'
        | '\u{32d0}'..='\u{32fe}' | '\u{3300}'..='\u{3357}')
}

fn is_emoji(segment: &str) -> bool {
    let mut characters = segment.chars();
    let Some(first) = characters.next() else { return false };
    let second = characters.next();
    match first {
        '#' | '*' => segment.ends_with('\u{20e3}'),
        '\u{1f1e6}'..='\u{1f1ff}' => second.is_some_and(|second| ('\u{1f1e6}'..='\u{1f1ff}').contains(&second)),
        _ => !first.is_ascii() && first.is_emoji_char() || is_pictograph(first),
    }
}

/// Whether a character is Extended_Pictographic but not an emoji, such as ★ and ♪.
fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{2388}' | '\u{2605}' | '\u{2607}'..='\u{260d}' | '\u{260f}'..='\u{2612}' | '\u{2614}'..='\u{2685}'
        | '\u{2690}'..='\u{2705}' | '\u{2708}'..='\u{2712}' | '\u{2763}'..='\u{2767}' | '\u{1f000}'..='\u{1f0ff}'
        | '\u{1f10d}'..='\u{1f10f}' | '\u{1f12f}' | '\u{1f16c}'..='\u{1f16f}' | '\u{1f1ad}'..='\u{1f1e5}'
        | '\u{1f200}' | '\u{1f203}'..='\u{1f20f}' | '\u{1f23c}'..='\u{1f23f}' | '\u{1f249}'..='\u{1f3fa}'
        | '\u{1f400}'..='\u{1f53d}' | '\u{1f546}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f774}'..='\u{1f77f}' | '\u{1f7d5}'..='\u{1f7ff}' | '\u{1f80c}'..='\u{1f80f}'
        | '\u{1f848}'..='\u{1f84f}' | '\u{1f85a}'..='\u{1f85f}' | '\u{1f888}'..='\u{1f88f}'
        | '\u{1f8ae}'..='\u{1f8ff}' | '\u{1f90c}'..='\u{1f93a}' | '\u{1f93c}'..='\u{1f945}'
        | '\u{1f947}'..='\u{1fffd}')
}

/// Whether a segment belongs to a script that needs a dictionary to find words (Line_Break=SA).
fn is_complex(segment: &str) -> bool {
    segment.chars().next().is_some_and(|first| {
        matches!(first,
            '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}' | '\u{0e81}'..='\u{0ece}' | '\u{0edc}'..='\u{0edf}'
            | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' | '\u{109a}'..='\u{109f}'
            | '\u{1780}'..='\u{17d3}' | '\u{17d7}' | '\u{17dc}'..='\u{17dd}' | '\u{1950}'..='\u{19ad}'
            | '\u{19b0}'..='\u{19c9}' | '\u{19da}' | '\u{19de}'..='\u{19df}' | '\u{1a20}'..='\u{1a7c}'
            | '\u{1aa0}'..='\u{1aad}' | '\u{a9e0}'..='\u{a9ef}' | '\u{a9fa}'..='\u{a9fe}'
            | '\u{aa60}'..='\u{aa7f}' | '\u{aa80}'..='\u{aadf}' | '\u{11700}'..='\u{1172b}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each checked with the `_analyze` call of Elasticsearch 7.17.
    const TEXTS: &[(&str, &str)] = &[
        ("", ""),
        ("Hello, World!", "hello|world"),
        ("foo-bar foo_bar foo.bar", "foo|bar|foo_bar|foo.bar"),
        ("O'Brien l’été", "o'brien|l’été"),
        ("1.2.3 1,000 v2.0-beta a1", "1.2.3|1,000|v2.0|beta|a1"),
        ("https://a.example.com/x?y=1", "https|a.example.com|x|y|1"),
        ("STRASSE straße İ Σίσυφος", "strasse|straße|i|σίσυφος"),
        ("日本語", "日|本|語"),
        ("ひらがな", "ひ|ら|が|な"),
        ("カタカナ ｶﾀｶﾅ", "カタカナ|ｶﾀｶﾅ"),
        ("한국어 단어", "한국어|단어"),
        ("ภาษาไทย คำ", "ภาษาไทย|คำ"),
        ("שלום مرحبا", "שלום|مرحبا"),
        ("😀 👍🏽 👨‍👩‍👧 🇩🇪 ❤️", "😀|👍🏽|👨‍👩‍👧|🇩🇪|❤️"),
        ("... !! -- $%&", ""),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("© ® ™ 〰 ㊗ #️⃣ 1⃣ ☺ ☺️ ♀ ✈ ↔ ⌚", "©|®|™|〰|㊗|#️⃣|1⃣|☺|☺️|♀|✈|↔|⌚"),
        ("#a 5#️⃣", "a|5|#️⃣"),
        ("ໄທລາວ ខ្មែរ မြန်မာ", "ໄທລາວ|ខ្មែរ|မြန်မာ"),
        ("ภาษาไทยabc ไทย123 ๑๒", "ภาษาไทย|abc|ไทย|123|๑๒"),
        ("x²³ ① Ⅷ ½", "x|ⅷ"),
        ("★ ☆ ♡ ♪ → ■ ⼀ 🇦 \u{5b0}", "★|♡|♪|⼀"),
        ("_ __ a_ ‿", "a_"),
        ("ー々〇 𠀀𠀁", "ー|々|〇|𠀀|𠀁"),
        ("e\u{301}a", "e\u{301}a"),
        ("a\u{ad}b", "a\u{ad}b"),
    ];

    fn joined(text: &str) -> String {
        words(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn words_are_those_of_the_standard_analyzer() {
        for (text, expected) in TEXTS {
            assert_eq!(joined(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_word_is_split_after_255_units() {
        let lengths = |text: &str| words(text).iter().map(|word| word.text.encode_utf16().count()).collect::<Vec<_>>();
        assert_eq!(lengths(&"a".repeat(255)), [255]);
        assert_eq!(lengths(&"a".repeat(600)), [255, 255, 90]);
        assert_eq!(lengths(&"𝒳".repeat(128)), [254, 2]);
    }

    #[test]
    fn a_word_knows_its_place() {
        let found = words("é Ab");
        assert_eq!((found[1].start, found[1].end, found[1].text.as_str()), (3, 5, "ab"));
    }
}
