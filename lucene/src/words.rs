//! The words of a text, as Lucene's StandardAnalyzer finds them.
//!
//! No word is dropped, stemmed or normalised. The index and the queries must both be made with this.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// Longest word, in UTF-16 units; the rest of a longer one is the next word.
const LONGEST: usize = 255;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, lower-cased.
    pub text: String,
    /// The byte where it starts in the text.
    pub start: usize,
    /// The byte where it ends in the text.
    pub end: usize,
}

/// The words of a text, in order. A word's position in phrases is its number.
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut segments = text.split_word_bound_indices().peekable();
    while let Some((start, segment)) = segments.next() {
        let mut end = start + segment.len();
        if is_complex(segment) {
            // Scripts without spaces that take a dictionary to split: a run is one word.
            while let Some((next, more)) = segments.next_if(|(_, next)| is_complex(next)) {
                end = next + more.len();
            }
        }
        if is_word(segment) {
            push(&mut words, text, start, end);
        }
    }
    words
}

/// Lower-cased as Java does it, code point by code point: one for one, whatever stands around it.
pub fn lower(text: &str) -> String {
    text.chars().map(|character| character.to_lowercase().next().unwrap_or(character)).collect()
}

fn push(words: &mut Vec<Word>, text: &str, mut start: usize, end: usize) {
    let mut units = 0;
    let first = start;
    for (offset, character) in text[first..end].char_indices() {
        if units + character.len_utf16() > LONGEST {
            words.push(word(text, start, first + offset));
            (start, units) = (first + offset, 0);
        }
        units += character.len_utf16();
    }
    words.push(word(text, start, end));
}

fn word(text: &str, start: usize, end: usize) -> Word {
    Word { text: lower(&text[start..end]), start, end }
}

fn is_word(segment: &str) -> bool {
    segment.chars().any(is_word_character) || is_emoji(segment)
}

/// Letters and decimal digits: ² and ① are no words.
fn is_word_character(character: char) -> bool {
    character.is_alphabetic() || character.general_category() == GeneralCategory::DecimalNumber
}

fn is_emoji(segment: &str) -> bool {
    segment.chars().next().is_some_and(|first| !first.is_ascii() && first.is_emoji_char())
        || segment.contains('\u{20e3}')
}

/// Whether a segment is of a script whose words only a dictionary tells (Line_Break=SA).
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
