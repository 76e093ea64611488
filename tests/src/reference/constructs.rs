//! Whether a query has a construct, read from the query: what the generator meant to write is not taken on trust.

use ghost_lucene::{Ast, Clause, Conjunction, Group, Leaf, Limits, Modifier, Piece, Term, parse, words};

use super::generate::Construct;

/// The parts of a query, in any order.
pub struct Parts {
    text: String,
    /// Each with its place in its group.
    clauses: Vec<(usize, Clause)>,
}

impl Parts {
    /// None for a query that is refused.
    pub fn of(query: &str) -> Option<Self> {
        let group = parse(query, &Limits::default()).ok()?;
        let mut parts = Self { text: query.into(), clauses: Vec::new() };
        parts.add(group);
        Some(parts)
    }

    fn add(&mut self, group: Group) {
        for (place, clause) in group.clauses.into_iter().enumerate() {
            if let Ast::Group(group) = &clause.ast {
                self.add(group.clone());
            }
            self.clauses.push((place, clause));
        }
    }

    /// Whether it has this construct. The tree does not tell `AND` from `&&`: then the text is looked at, too.
    pub fn have(&self, construct: Construct) -> bool {
        let has = |sign: &str| self.text.contains(sign);
        match construct {
            Construct::Juxtaposition => self.joined(Conjunction::None),
            Construct::And => self.joined(Conjunction::And) && has(" AND "),
            Construct::AndSign => self.joined(Conjunction::And) && has(" && "),
            Construct::Or => self.joined(Conjunction::Or) && has(" OR "),
            Construct::OrSign => self.joined(Conjunction::Or) && has(" || "),
            Construct::Not => self.modified(Modifier::Prohibited) && has("NOT "),
            Construct::Bang => self.modified(Modifier::Prohibited) && has("!"),
            Construct::Minus => self.modified(Modifier::Prohibited) && has("-"),
            Construct::Plus => self.modified(Modifier::Required),
            Construct::Group => self.clauses.iter().any(|(_, clause)| matches!(clause.ast, Ast::Group(_))),
            Construct::FieldGroup => {
                self.clauses.iter().any(|(_, clause)| matches!(clause.ast, Ast::Group(_))) && has(":(")
            }
            Construct::Boost => self.clauses.iter().any(|(_, clause)| clause.boost.is_some()),
            Construct::FieldAny => self.has_leaf(|leaf| leaf.term == Term::Exists) && has(":*"),
            Construct::Exists => self.has_leaf(|leaf| leaf.term == Term::Exists) && has("_exists_:"),
            Construct::EveryField => has("*:"),
            Construct::Escape => has("\\"),
            Construct::Comparison => {
                self.has_leaf(|leaf| matches!(leaf.term, Term::Range { .. })) && (has(":>") || has(":<"))
            }
            _ => self.has_leaf(|leaf| is_leaf(construct, leaf)),
        }
    }

    fn joined(&self, by: Conjunction) -> bool {
        self.clauses.iter().any(|(place, clause)| *place > 0 && clause.conjunction == by)
    }

    fn modified(&self, by: Modifier) -> bool {
        self.clauses.iter().any(|(_, clause)| clause.modifier == by)
    }

    fn has_leaf(&self, is_wanted: impl Fn(&Leaf) -> bool) -> bool {
        self.clauses.iter().any(|(_, clause)| matches!(&clause.ast, Ast::Leaf(leaf) if is_wanted(leaf)))
    }
}

fn is_leaf(construct: Construct, leaf: &Leaf) -> bool {
    let field = leaf.field.as_deref();
    match (&leaf.term, construct) {
        (Term::Text(text), Construct::Word) => field.is_none() && !words(text).is_empty(),
        (Term::Text(_), Construct::FieldWord) => field.is_some(),
        (Term::Text(_), Construct::Key) => field == Some("_key"),
        (Term::Text(_), Construct::Collection) => field == Some("_collection"),
        (Term::Text(text), Construct::Hyphenated) => text.trim_matches('-').contains('-'),
        (Term::Text(text), Construct::BareOperator) => matches!(text.as_str(), "+" | "-" | "!"),
        (Term::Text(text) | Term::Phrase { text, .. }, Construct::Wordless) => words(text).is_empty(),
        (Term::Phrase { slop: 0, .. }, Construct::Phrase) => true,
        (Term::Phrase { slop: 1.., .. }, Construct::Slop) => true,
        (Term::Pattern(pieces), Construct::AnyOne) => pieces.contains(&Piece::AnyOne),
        (Term::Pattern(pieces), Construct::Prefix) => pieces.last() == Some(&Piece::AnyMany),
        (Term::Pattern(pieces), Construct::Suffix) => pieces.first() == Some(&Piece::AnyMany),
        (Term::Fuzzy { distance, .. }, Construct::Fuzzy) => distance.is_none(),
        (Term::Fuzzy { distance, .. }, Construct::FuzzyDistance) => distance.is_some(),
        (Term::Range { includes_lower, includes_upper, lower, upper }, construct) => match construct {
            Construct::Unbounded => lower.is_none() && upper.is_none(),
            Construct::Open => lower.is_some() != upper.is_some(),
            Construct::Inclusive => *includes_lower && *includes_upper,
            Construct::Exclusive => !includes_lower && !includes_upper,
            Construct::Mixed => includes_lower != includes_upper,
            _ => false,
        },
        (Term::Regex(_), Construct::Regex) | (Term::All, Construct::All) => true,
        _ => false,
    }
}
