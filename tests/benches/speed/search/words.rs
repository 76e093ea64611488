//! Documents of 12 words, of which some are frequent and most are rare.

/// As in `words.js`, which makes the same.
const SYLLABLES: [&str; 40] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "xi", "yo",
    "zu", "al", "en", "ir", "on", "us", "am", "el", "in", "or", "ut", "bra", "cle", "dri", "flo", "gru", "sta", "tre",
    "pli", "sko", "shu",
];

/// The words, the most frequent first.
pub fn word(number: usize) -> String {
    [number % 40, number / 40 % 40, number / 1_600].map(|syllable| SYLLABLES[syllable]).concat()
}

pub struct Document {
    pub key: String,
    pub text: String,
    pub year: i64,
}

/// So many documents.
pub fn documents(count: usize) -> impl Iterator<Item = Document> {
    let mut state = 1_u32;
    let mut rare = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (64_000.0 * (f64::from(state) / 2_f64.powi(32)).powi(3)) as usize
    };
    (0..count).map(move |number| Document {
        key: format!("key{number}"),
        text: (0..12).map(|_| word(rare())).collect::<Vec<_>>().join(" "),
        year: 1_900 + (number % 100) as i64,
    })
}
