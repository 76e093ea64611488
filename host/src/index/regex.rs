//! Regular expressions as Lucene writes them, for the library that matches them.
//!
//! What means something in only one of the two is refused or escaped, so that none silently means something else.

/// `\w` with every character beyond ASCII: an automaton of all letters takes a second to build.
const WORD: &str = r"[0-9A-Za-z_\x{80}-\x{10ffff}]";
const NO_WORD: &str = r"[^0-9A-Za-z_\x{80}-\x{10ffff}]";

/// Rewrites an expression, or says what is wrong with it.
pub(super) fn translate(regex: &str) -> Result<String, String> {
    let (mut text, mut in_class, mut characters) =
        (String::with_capacity(regex.len()), false, regex.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let escaped = characters.next().ok_or("a regular expression ends in a backslash")?;
                match escaped {
                    'w' => text.push_str(WORD),
                    'W' => text.push_str(NO_WORD),
                    'd' | 'D' | 's' | 'S' => text.extend(['\\', escaped]),
                    other => text.push_str(&literal(other)),
                }
            }
            '[' if !in_class => {
                in_class = true;
                text.push('[');
                if let Some(caret) = characters.next_if_eq(&'^') {
                    text.push(caret);
                }
            }
            ']' if in_class => {
                in_class = false;
                text.push(']');
            }
            '-' if in_class => text.push('-'),
            _ if in_class => text.push_str(&literal(character)),
            '@' => text.push_str("(?:.*)"),
            '"' => text.push_str(&quoted(&mut characters)?),
            '~' | '&' | '<' | '>' | '#' => {
                return Err(format!("{character} in a regular expression must be escaped with a backslash"));
            }
            '^' | '$' => text.push_str(&literal(character)),
            '*' | '+' | '?' | '}' => {
                text.push(character);
                if characters.peek().is_some_and(|next| matches!(next, '?' | '+')) {
                    return Err(
                        "a regular expression has two repetition operators in a row: put the first in parentheses"
                            .into(),
                    );
                }
            }
            '(' => {
                text.push_str("(?:");
                if characters.peek() == Some(&'?') {
                    return Err("a group of a regular expression can't begin with ?".into());
                }
            }
            _ => text.push(character),
        }
    }
    Ok(text)
}

/// What stands in quotes is text, and repeated as a whole.
fn quoted(characters: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let mut text = String::from("(?:");
    for character in characters {
        if character == '"' {
            return Ok(text + ")");
        }
        text.push_str(&literal(character));
    }
    Err("a quote in a regular expression is not closed".into())
}

fn literal(character: char) -> String {
    if character.is_ascii_punctuation() { format!("\\{character}") } else { character.to_string() }
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn what_only_one_of_the_two_knows_is_escaped_or_refused() {
        let cases = [
            ("a.*b", "a.*b"),
            ("^a$", "\\^a\\$"),
            ("[^a-z&&[]", "[^a-z\\&\\&\\[]"),
            ("(a|b){2,3}", "(?:a|b){2,3}"),
            ("\\d+\\-\\b", "\\d+\\-b"),
            ("[^\\w-]\\W", "[^[0-9A-Za-z_\\x{80}-\\x{10ffff}]-][^0-9A-Za-z_\\x{80}-\\x{10ffff}]"),
            ("a@b", "a(?:.*)b"),
            ("x\"a.b\"*", "x(?:a\\.b)*"),
        ];
        for (given, expected) in cases {
            assert_eq!(translate(given).as_deref(), Ok(expected), "{given}");
        }
        for refused in ["a~b", "<1-10>", "a&b", "a#b", "(?i)a", "a*?", "a\\", "\"a"] {
            assert!(translate(refused).is_err(), "{refused}");
        }
    }
}
