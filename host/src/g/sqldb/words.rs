//! The words of a statement, as far as they have to be known: what it begins with, and where it ends.
//!
//! Whether it is right is for the server to say.

/// A part of a statement that is neither white space nor a comment.
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

/// The parts of a statement, each with the byte behind it.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

pub(super) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// The parts of the one statement in a text: the server passes over semicolons before it.
pub(super) fn statement(text: &str) -> impl Iterator<Item = Token<'_>> {
    tokens(text).map(|(token, _)| token).skip_while(|token| *token == Token::Semicolon)
}

/// The first word, in lower case; none for a statement that begins otherwise, or is empty.
pub(super) fn first(sql: &str) -> Option<String> {
    match statement(sql).find(|token| *token != Token::Other('('))? {
        Token::Word(word) => Some(word.to_ascii_lowercase()),
        _ => None,
    }
}

/// Whether there is nothing but white space, comments and semicolons.
pub(super) fn is_empty(sql: &str) -> bool {
    tokens(sql).all(|(token, _)| token == Token::Semicolon)
}

/// Whether something stands behind a semicolon.
pub(super) fn is_several(sql: &str) -> bool {
    let mut tokens = statement(sql);
    tokens.by_ref().any(|token| token == Token::Semicolon) && tokens.any(|token| token != Token::Semicolon)
}

/// Whether one of these words stands anywhere.
pub(super) fn has_word(sql: &str, words: &[&str]) -> bool {
    let is = |word: &str| words.iter().any(|wanted| wanted.eq_ignore_ascii_case(word));
    tokens(sql).any(|(token, _)| matches!(token, Token::Word(word) if is(word)))
}

/// The statement without semicolons and comments at its end.
pub(super) fn trimmed(sql: &str) -> &str {
    let end = tokens(sql).filter(|(token, _)| *token != Token::Semicolon).last().map_or(0, |(_, end)| end);
    &sql[..end]
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
    fn the_first_word_is_found_behind_comments_and_brackets() {
        let rows = [
            ("SELECT 1", Some("select")),
            (" -- a\n /* b /* c */ */ ( (Values (1)))", Some("values")),
            ("--x", None),
            ("'select'", None),
            ("\"select\"", None),
            ("", None),
            ("e'a' select", None),
            ("émile", Some("émile")),
        ];
        for (sql, expected) in rows {
            assert_eq!(first(sql).as_deref(), expected, "{sql}");
        }
    }

    #[test]
    fn a_semicolon_in_a_text_separates_nothing() {
        let one = [
            "select ';'",
            "select 1;",
            "select 1; -- ; more",
            "select $$a;b$$",
            "select $t$ $$ ; $$ $t$;",
            "select ';''; '",
            "select \"a;b\" /* ; */ ;;",
            "select E'\\'; '",
            "select $1; ",
            "; select 1",
            "select 'é;'",
            "select $é$;$é$",
        ];
        for sql in one {
            assert!(!is_several(sql), "{sql}");
        }
        for sql in ["select 1; select 2", "select '\\'; select 2", "a$1;b", "select $1;$2", ";a;;b"] {
            assert!(is_several(sql), "{sql}");
        }
    }

    #[test]
    fn the_end_is_left_off() {
        let rows = [
            ("select 1 ; -- a\n/* b */ ;", "select 1"),
            ("select ';' ", "select ';'"),
            ("select 1 -- a", "select 1"),
            (" ; ", ""),
            ("/* a", ""),
            ("select 'a", "select 'a"),
        ];
        for (sql, expected) in rows {
            assert_eq!(trimmed(sql), expected, "{sql}");
        }
        assert!(is_empty(" ; -- a") && is_empty("") && !is_empty("a"));
        assert!(has_word("with a as (Delete from b)", &["delete"]) && !has_word("select 'delete'", &["delete"]));
    }
}
