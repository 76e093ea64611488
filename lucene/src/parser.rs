//! Parses the tokens to an [`Ast`], by recursive descent; the depth is limited by the nesting of parentheses.

use crate::{
    Ast, Clause, Code, Conjunction, Error, Group, Leaf, Limits, Modifier, Piece, Term,
    lexer::{Kind, Token, tokens},
};

const EXISTS: &str = "_exists_";

/// Parses a query.
///
/// # Errors
///
/// Fails when the query is malformed or exceeds a limit.
pub fn parse(text: &str, limits: &Limits) -> Result<Group, Error> {
    if text.len() > limits.query_bytes {
        return Err(Error::limit(0, format!("query is {} bytes, the limit is {}", text.len(), limits.query_bytes)));
    }
    let (tokens, lexer_error) = tokens(text);
    let mut parser = Parser { tokens, next: 0, lexer_error, limits, depth: 0, clauses: 0 };
    if matches!(parser.kind()?, Kind::End) {
        return Err(Error::syntax(0, "the query is empty; *:* finds every document"));
    }
    let group = parser.group(None)?;
    match parser.kind()? {
        Kind::End => Ok(group),
        _ => Err(parser.unexpected("a term")),
    }
}

struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    lexer_error: Option<Error>,
    limits: &'a Limits,
    depth: usize,
    clauses: usize,
}

impl Parser<'_> {
    /// Returns the kind of the next token, or the error of the lexer.
    fn kind(&self) -> Result<&Kind, Error> {
        match (self.tokens.get(self.next), &self.lexer_error) {
            (Some(token), _) => Ok(&token.kind),
            (None, Some(error)) => Err(error.clone()),
            (None, None) => Ok(&Kind::End),
        }
    }

    fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(0, |token| token.position)
    }

    fn take(&mut self, wanted: &Kind) -> Result<bool, Error> {
        let found = self.kind()? == wanted;
        self.next += usize::from(found);
        Ok(found)
    }

    fn unexpected(&self, expected: &str) -> Error {
        let Some(token) = self.tokens.get(self.next) else {
            return Error::syntax(0, format!("{expected} is expected"));
        };
        let message = match &token.kind {
            Kind::End => format!("the query ends where {expected} is expected"),
            Kind::Close if self.depth == 0 => "\")\" has no opening parenthesis; to search for it, write \\)".into(),
            Kind::Range { .. } | Kind::Quoted(_) | Kind::Word(_) | Kind::Regex(_) => {
                format!("{expected} is expected before this")
            }
            Kind::And | Kind::Or | Kind::Not if token.image.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                format!(
                    "found \"{}\" where {expected} is expected; to search for the word, put it in quotes",
                    token.image
                )
            }
            Kind::Colon => "found \":\" without a field before it; to search for it, write \\:".into(),
            _ => format!("found \"{0}\" where {expected} is expected; to search for it, write \\{0}", token.image),
        };
        Error::syntax(token.position, message)
    }

    /// Parses at least one clause, up to the end or the closing parenthesis.
    fn group(&mut self, field: Option<&str>) -> Result<Group, Error> {
        let modifier = self.modifier()?;
        let mut clauses = vec![self.clause(Conjunction::None, modifier, field)?];
        while !matches!(self.kind()?, Kind::End | Kind::Close) {
            let conjunction = self.conjunction()?;
            let modifier = self.modifier()?;
            clauses.push(self.clause(conjunction, modifier, field)?);
        }
        Ok(Group { clauses })
    }

    fn conjunction(&mut self) -> Result<Conjunction, Error> {
        let conjunction = match self.kind()? {
            Kind::And => Conjunction::And,
            Kind::Or => Conjunction::Or,
            _ => return Ok(Conjunction::None),
        };
        self.next += 1;
        Ok(conjunction)
    }

    fn modifier(&mut self) -> Result<Modifier, Error> {
        let modifier = match self.kind()? {
            Kind::Plus => Modifier::Required,
            Kind::Minus | Kind::Not => Modifier::Prohibited,
            _ => return Ok(Modifier::None),
        };
        self.next += 1;
        Ok(modifier)
    }

    fn clause(&mut self, conjunction: Conjunction, modifier: Modifier, outer: Option<&str>) -> Result<Clause, Error> {
        self.count()?;
        let named = self.field()?;
        let field = named.as_ref().map_or(outer, |name| (name != "*").then_some(name));
        let everything = named.as_deref() == Some("*");
        if matches!(self.kind()?, Kind::Open) {
            let ast = Ast::Group(self.nested(field)?);
            return Ok(Clause { conjunction, modifier, ast, boost: self.boost()? });
        }
        let (leaf, boost) = self.leaf(field, everything)?;
        Ok(Clause { conjunction, modifier, ast: Ast::Leaf(leaf), boost })
    }

    fn count(&mut self) -> Result<(), Error> {
        self.clauses += 1;
        if self.clauses > self.limits.clauses {
            let message = format!("the query has more than {} clauses, which is the limit", self.limits.clauses);
            return Err(Error::limit(self.position(), message));
        }
        Ok(())
    }

    /// Parses a field and its colon, if they are next. `*` is every field.
    fn field(&mut self) -> Result<Option<String>, Error> {
        let [Token { kind: Kind::Word(pieces), position, .. }, Token { kind: Kind::Colon, .. }, ..] =
            self.tokens.get(self.next..).unwrap_or_default()
        else {
            return Ok(None);
        };
        let name = match (text(pieces), pieces.as_slice()) {
            (Some(name), _) => name,
            (None, [Piece::AnyMany]) => "*".into(),
            (None, _) => {
                return Err(Error::syntax(
                    *position,
                    "a field is named in full; as a part of its name * is \\* and ? is \\?",
                ));
            }
        };
        self.next += 2;
        Ok(Some(name))
    }

    fn nested(&mut self, field: Option<&str>) -> Result<Group, Error> {
        let position = self.position();
        if field == Some(EXISTS) {
            return Err(Error::syntax(position, "_exists_ takes the name of one field"));
        }
        if self.depth == self.limits.nesting {
            let message = format!("parentheses are nested more than {} deep, which is the limit", self.limits.nesting);
            return Err(Error::limit(position, message));
        }
        self.next += 1;
        self.depth += 1;
        let group = self.group(field)?;
        if !self.take(&Kind::Close)? {
            return Err(Error::syntax(position, "this parenthesis is not closed; to search for it, write \\("));
        }
        self.depth -= 1;
        Ok(group)
    }

    fn boost(&mut self) -> Result<Option<f32>, Error> {
        let Kind::Boost(boost) = *self.kind()? else { return Ok(None) };
        self.next += 1;
        Ok(Some(boost))
    }

    fn leaf(&mut self, field: Option<&str>, everything: bool) -> Result<(Leaf, Option<f32>), Error> {
        let (kind, position) = (self.kind()?.clone(), self.position());
        if matches!(
            kind,
            Kind::End | Kind::And | Kind::Or | Kind::Not | Kind::Plus | Kind::Minus | Kind::Close | Kind::Colon
        ) || matches!(kind, Kind::Boost(_) | Kind::Tilde(_))
        {
            return Err(self.unexpected("a term"));
        }
        let image = self.tokens[self.next].image.clone();
        self.next += 1;
        let before = self.boost()?;
        let tilde = self.tilde()?;
        let boost = match before {
            None => self.boost()?,
            Some(_) => before,
        };
        let term = self.term(kind, &image, position, field.is_some(), tilde)?;
        let leaf = Leaf { field: field.map(str::to_owned), position, term };
        Ok((with_meaning(leaf, everything)?, boost))
    }

    fn tilde(&mut self) -> Result<Option<(String, usize)>, Error> {
        let Kind::Tilde(digits) = self.kind()? else { return Ok(None) };
        let tilde = (digits.clone(), self.position());
        self.next += 1;
        Ok(Some(tilde))
    }

    fn term(
        &self,
        kind: Kind,
        image: &str,
        position: usize,
        named: bool,
        tilde: Option<(String, usize)>,
    ) -> Result<Term, Error> {
        let term = match kind {
            Kind::Word(pieces) if named && image.starts_with(['<', '>']) => comparison(&pieces, position)?,
            Kind::Word(pieces) => match text(&pieces) {
                Some(text) => return self.fuzzy(text, tilde),
                None => Term::Pattern(pieces),
            },
            Kind::Quoted(text) => return Ok(Term::Phrase { text, slop: slop(tilde) }),
            Kind::Regex(regex) => self.regex(regex, position)?,
            Kind::Range { lower, upper, includes_lower, includes_upper } => {
                Term::Range { lower, upper, includes_lower, includes_upper }
            }
            _ => Term::Text(image.into()),
        };
        match tilde {
            Some((_, position)) => {
                Err(Error::syntax(position, "\"~\" follows a word or a phrase; to search for it, write \\~"))
            }
            None => Ok(term),
        }
    }

    fn fuzzy(&self, text: String, tilde: Option<(String, usize)>) -> Result<Term, Error> {
        let Some((digits, position)) = tilde else { return Ok(Term::Text(text)) };
        if digits.is_empty() {
            return Ok(Term::Fuzzy { text, distance: None });
        }
        match digits.parse::<u8>() {
            Ok(distance) if distance <= self.limits.fuzzy_distance => {
                Ok(Term::Fuzzy { text, distance: Some(distance) })
            }
            _ => {
                let message = format!("fuzzy distance is {digits}, the limit is {}", self.limits.fuzzy_distance);
                Err(Error { code: Code::Limit, position, message })
            }
        }
    }

    fn regex(&self, regex: String, position: usize) -> Result<Term, Error> {
        let (length, limit) = (regex.chars().count(), self.limits.regex_characters);
        if length > limit {
            return Err(Error::limit(position, format!("regex is {length} characters, the limit is {limit}")));
        }
        Ok(Term::Regex(regex))
    }
}

/// Returns the text of a word; none if it has wildcards.
fn text(pieces: &[Piece]) -> Option<String> {
    pieces.iter().map(|piece| if let Piece::Character(c) = piece { Some(*c) } else { None }).collect()
}

/// Returns the slop of a phrase. A value that does not fit counts as the maximum.
fn slop(tilde: Option<(String, usize)>) -> u32 {
    tilde.map_or(0, |(digits, _)| if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u32::MAX) })
}

fn comparison(pieces: &[Piece], position: usize) -> Result<Term, Error> {
    let below = pieces[0] == Piece::Character('<');
    let included = pieces.get(1) == Some(&Piece::Character('='));
    let place = position + 1 + usize::from(included);
    let bound = text(&pieces[1 + usize::from(included)..])
        .ok_or_else(|| Error::syntax(place, "a bound has no wildcards; to search for them, write \\* and \\?"))?;
    if bound.is_empty() {
        return Err(Error::syntax(place, "a bound is missing directly after the comparison, such as >=5"));
    }
    Ok(if below {
        Term::Range { lower: None, upper: Some(bound), includes_lower: true, includes_upper: included }
    } else {
        Term::Range { lower: Some(bound), upper: None, includes_lower: included, includes_upper: true }
    })
}

/// Resolves a single star and `_exists_`.
fn with_meaning(mut leaf: Leaf, everything: bool) -> Result<Leaf, Error> {
    if leaf.field.as_deref() == Some(EXISTS) {
        leaf.field = match leaf.term {
            Term::Text(name) | Term::Phrase { text: name, slop: 0 } if !name.is_empty() => Some(name),
            _ => return Err(Error::syntax(leaf.position, "_exists_ takes the name of one field")),
        };
        leaf.term = Term::Exists;
    } else if leaf.term == Term::Pattern(vec![Piece::AnyMany]) {
        leaf.term = if everything || leaf.field.is_none() { Term::All } else { Term::Exists };
    }
    Ok(leaf)
}
