//! Splits a query into tokens, by the longest match, like the token rules of Lucene's classic parser.

#[cfg(test)]
mod tests;

use crate::{Error, Piece};

/// A token, and the position where it starts, in UTF-16 units.
pub(crate) struct Token {
    pub kind: Kind,
    pub position: usize,
    /// The text of the token, for messages.
    pub image: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    And,
    Or,
    Not,
    Plus,
    Minus,
    /// `+`, `-` or `!` followed by a space, which is text without a word.
    BareOperator,
    Open,
    Close,
    Colon,
    Boost(f32),
    /// `~` and the digits after it.
    Tilde(String),
    Quoted(String),
    Regex(String),
    Word(Vec<Piece>),
    Range {
        lower: Option<String>,
        upper: Option<String>,
        includes_lower: bool,
        includes_upper: bool,
    },
    End,
}

/// Returns the tokens, with [`Kind::End`] last. An invalid token ends the list with an error, which applies only if the
/// parser reaches it.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Option<Error>) {
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    loop {
        match lexer.token() {
            Ok(token) => {
                let last = token.kind == Kind::End;
                tokens.push(token);
                if last {
                    return (tokens, None);
                }
            }
            Err(error) => return (tokens, Some(error)),
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    byte: usize,
    position: usize,
    /// The number of characters that were read, to which the time is proportional.
    #[cfg(test)]
    reads: std::cell::Cell<usize>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            position: 0,
            #[cfg(test)]
            reads: std::cell::Cell::default(),
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        self.skip_space();
        let (start, position) = (self.byte, self.position);
        let kind = self.kind()?;
        Ok(Token { kind, position, image: self.text[start..self.byte].into() })
    }

    fn kind(&mut self) -> Result<Kind, Error> {
        let Some(first) = self.peek() else { return Ok(Kind::End) };
        match first {
            '+' | '-' | '!' => {
                self.next();
                if self.peek().is_some_and(is_space) {
                    return Ok(Kind::BareOperator);
                }
                Ok(match first {
                    '+' => Kind::Plus,
                    '-' => Kind::Minus,
                    _ => Kind::Not,
                })
            }
            '(' => self.single(Kind::Open),
            ')' => self.single(Kind::Close),
            ':' => self.single(Kind::Colon),
            '^' => self.boost(),
            '~' => self.tilde(),
            '"' => self.quoted(),
            '/' => self.regex(),
            '[' | '{' => self.range(first == '['),
            ']' | '}' => Err(Error::syntax(
                self.position,
                format!("\"{first}\" has no opening bracket; to search for it, write \\{first}"),
            )),
            _ => self.word(),
        }
    }

    fn peek(&self) -> Option<char> {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        self.text[self.byte..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.byte += character.len_utf8();
        self.position += character.len_utf16();
        Some(character)
    }

    fn single(&mut self, kind: Kind) -> Result<Kind, Error> {
        self.next();
        Ok(kind)
    }

    fn skip_space(&mut self) {
        self.take_while(is_space);
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &str {
        let start = self.byte;
        while self.peek().is_some_and(&wanted) {
            self.next();
        }
        &self.text[start..self.byte]
    }

    /// Reads `^` and a number. A point without digits after it belongs to the next word.
    fn boost(&mut self) -> Result<Kind, Error> {
        let position = self.position;
        self.next();
        let start = self.byte;
        self.take_while(|c| c.is_ascii_digit());
        let rest = &self.text[self.byte..];
        if self.byte > start && rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.next();
            self.take_while(|c| c.is_ascii_digit());
        }
        match self.text[start..self.byte].parse::<f32>() {
            Ok(boost) if boost.is_finite() => Ok(Kind::Boost(boost)),
            _ => Err(Error::syntax(
                position,
                "\"^\" needs a number directly after it, such as ^2 or ^0.5; to search for it, write \\^",
            )),
        }
    }

    fn tilde(&mut self) -> Result<Kind, Error> {
        let position = self.position;
        self.next();
        let digits = self.take_while(|c| is_word_start(c) || matches!(c, '-' | '+')).to_owned();
        if digits.chars().all(|c| c.is_ascii_digit()) {
            return Ok(Kind::Tilde(digits));
        }
        Err(Error::syntax(position, "\"~\" takes a whole number, such as ~1, or nothing; to search for it, write \\~"))
    }

    fn quoted(&mut self) -> Result<Kind, Error> {
        let position = self.position;
        self.next();
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(Error::syntax(position, "this quote is not closed; to search for it, write \\\"")),
                Some('"') => {
                    self.next();
                    return Ok(Kind::Quoted(text));
                }
                Some('\\') => text.push(self.escape()?),
                Some(character) => {
                    self.next();
                    text.push(character);
                }
            }
        }
    }

    fn regex(&mut self) -> Result<Kind, Error> {
        let position = self.position;
        self.next();
        let start = self.byte;
        while let Some(character) = self.peek() {
            if character == '/' && self.byte > start && self.text.as_bytes()[self.byte - 1] == b'\\' {
                self.next();
                continue;
            }
            if character == '/' {
                let regex = self.text[start..self.byte].to_owned();
                self.next();
                return Ok(Kind::Regex(regex));
            }
            self.next();
        }
        Err(Error::syntax(position, "the regex that starts here is not closed; to search for \"/\", write \\/"))
    }

    fn word(&mut self) -> Result<Kind, Error> {
        let start = self.byte;
        let mut pieces = Vec::new();
        while let Some(character) = self.peek() {
            pieces.push(match character {
                '\\' => Piece::Character(self.escape()?),
                '*' => self.piece(Piece::AnyMany),
                '?' => self.piece(Piece::AnyOne),
                _ if is_word_start(character) || matches!(character, '-' | '+') => {
                    self.piece(Piece::Character(character))
                }
                _ => break,
            });
        }
        Ok(match &self.text[start..self.byte] {
            "AND" | "&&" => Kind::And,
            "OR" | "||" => Kind::Or,
            "NOT" => Kind::Not,
            _ => Kind::Word(pieces),
        })
    }

    fn piece(&mut self, piece: Piece) -> Piece {
        self.next();
        piece
    }

    /// Reads a backslash and the escaped character, or `u` and four hexadecimal digits.
    fn escape(&mut self) -> Result<char, Error> {
        let position = self.position;
        self.next();
        match self.next() {
            None => Err(Error::syntax(position, "nothing follows this backslash; to search for it, write \\\\")),
            Some('u') => self.unicode(position),
            Some(character) => Ok(character),
        }
    }

    fn unicode(&mut self, position: usize) -> Result<char, Error> {
        let first = self.unit(position)?;
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) && self.text[self.byte..].starts_with("\\u") {
            self.next();
            self.next();
            units.push(self.unit(position)?);
        }
        let mut characters = char::decode_utf16(units);
        match (characters.next(), characters.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(Error::syntax(
                position,
                "this surrogate has no partner; a character beyond \\uffff is two escapes, such as \\ud83d\\ude00",
            )),
        }
    }

    fn unit(&mut self, position: usize) -> Result<u16, Error> {
        let mut unit = 0;
        for _ in 0..4 {
            match self.peek().and_then(|c| c.to_digit(16)) {
                Some(digit) => unit = unit << 4 | digit as u16,
                None => return Err(Error::syntax(position, "\\u takes four hexadecimal digits, such as \\u0041")),
            }
            self.next();
        }
        Ok(unit)
    }

    fn range(&mut self, includes_lower: bool) -> Result<Kind, Error> {
        let start = self.position;
        self.next();
        let lower = self.bound(start, "lower")?;
        self.skip_space();
        let position = self.position;
        if self.separator() != "TO" {
            return Err(Error::syntax(position, "\"TO\" is expected here, between the bounds of a range"));
        }
        let upper = self.bound(start, "upper")?;
        self.skip_space();
        let includes_upper = match self.peek() {
            Some(']') => true,
            Some('}') => false,
            None => return Err(unclosed(start)),
            Some(_) => {
                return Err(Error::syntax(
                    self.position,
                    "the range ends with ] or } here; a bound with a space needs quotes",
                ));
            }
        };
        self.next();
        Ok(Kind::Range { lower, upper, includes_lower, includes_upper })
    }

    /// Reads a bound and unescapes it; none for a star.
    fn bound(&mut self, start: usize, which: &str) -> Result<Option<String>, Error> {
        self.skip_space();
        match self.peek() {
            None => return Err(unclosed(start)),
            Some(']' | '}') => {
                return Err(Error::syntax(self.position, format!("the {which} bound is missing; an open bound is *")));
            }
            Some('"') => return self.quoted_bound(),
            Some(_) => {}
        }
        if self.text[self.byte..].starts_with('*')
            && self.text[self.byte + 1..].starts_with(|c| is_space(c) || matches!(c, ']' | '}'))
        {
            self.next();
            return Ok(None);
        }
        let mut text = String::new();
        while let Some(character) = self.peek().filter(|c| !is_bound_end(*c)) {
            if character == '\\' {
                text.push(self.escape()?);
            } else {
                self.next();
                text.push(character);
            }
        }
        Ok(Some(text))
    }

    fn quoted_bound(&mut self) -> Result<Option<String>, Error> {
        let position = self.position;
        match self.quoted()? {
            Kind::Quoted(text) if !text.is_empty() => Ok(Some(text)),
            _ => Err(Error::syntax(position, "a bound is not empty; an open bound is *")),
        }
    }

    fn separator(&mut self) -> &str {
        self.take_while(|c| !is_bound_end(c))
    }
}

fn unclosed(start: usize) -> Error {
    Error::syntax(start, "the range that starts here is not closed; it is written [a TO b] or {a TO b}")
}

pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{3000}')
}

fn is_bound_end(character: char) -> bool {
    is_space(character) || matches!(character, ']' | '}')
}

fn is_word_start(character: char) -> bool {
    !is_space(character) && !"+-!():^[]\"{}~*?\\/".contains(character)
}
