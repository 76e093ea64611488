//! The tokens of SQL, as far as `statement` needs them: words, names in quotes and semicolons.

/// A part of SQL that is neither white space nor a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A keyword or a name without quotes.
    Word(&'a str),
    /// A name in quotes, with them.
    Quoted(&'a str),
    Semicolon,
    /// Anything else: a number, a text, an operator.
    Other(char),
}

/// The tokens of a text, each with the position of the byte behind it.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

pub(super) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (Token<'a>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let length = length(rest, first);
        self.at += length;
        let part = &rest[..length];
        let token = match first {
            ';' => Token::Semicolon,
            '"' => Token::Quoted(part),
            _ if is_start(first) && !part.ends_with('\'') => Token::Word(part),
            other => Token::Other(other),
        };
        Some((token, self.at))
    }
}

impl Tokens<'_> {
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let length = match rest {
                _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => comment(rest),
                _ => rest.len() - rest.trim_start_matches(is_blank).len(),
            };
            if length == 0 {
                return;
            }
            self.at += length;
        }
    }
}

/// How long the part is that a text begins with.
fn length(text: &str, first: char) -> usize {
    match first {
        '"' => enclosed(text, '"', false),
        '\'' => enclosed(text, '\'', false),
        'e' | 'E' if text[1..].starts_with('\'') => 1 + enclosed(&text[1..], '\'', true),
        '$' => dollars(text).unwrap_or(1),
        _ if is_start(first) => text.find(|one| !is_start(one) && !one_of_word(one)).unwrap_or(text.len()),
        other => other.len_utf8(),
    }
}

fn is_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
}

fn one_of_word(character: char) -> bool {
    character.is_ascii_digit() || character == '$'
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

/// Up to the closing mark; a doubled one stands for itself, and with `escapes` so does one behind a backslash.
fn enclosed(text: &str, mark: char, escapes: bool) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && escapes {
            characters.next();
        } else if character == mark && characters.next_if(|(_, next)| *next == mark).is_none() {
            return at + mark.len_utf8();
        }
    }
    text.len()
}

/// `$tag$ … $tag$`; none for a parameter or a lone `$`.
fn dollars(text: &str) -> Option<usize> {
    let end = text[1..].find('$')? + 2;
    let tag = &text[..end];
    let name = &tag[1..end - 1];
    let is_tag = name.chars().all(|one| is_start(one) || one.is_ascii_digit())
        && !name.starts_with(|first: char| first.is_ascii_digit());
    is_tag.then(|| text[end..].find(tag).map_or(text.len(), |at| end + at + end))
}

/// Comments may stand in comments.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match rest {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_apart() {
        let expected = [
            Token::Word("select"),
            Token::Quoted("\"a\"\"b\""),
            Token::Other(','),
            Token::Other('\''),
            Token::Other('e'),
            Token::Other('$'),
            Token::Word("émile$1"),
            Token::Other('1'),
            Token::Semicolon,
        ];
        let sql = "select \"a\"\"b\" , 'it''s' e'\\'' $t$ ; $t$ émile$1 1; -- a\n/* /* */ ; */";
        let found: Vec<_> = tokens(sql).map(|(token, _)| token).collect();
        assert_eq!(found, expected);
    }
}
