//! Queries from the grammar: each construct alone, each pair of constructs together, then at random.

use std::collections::{BTreeMap, BTreeSet};

use super::{Query, compose::compose, documents::Document, random::Random, vocabulary::Vocabulary};

/// How many queries have each construct, and each pair of two, at the least.
pub const EACH: usize = 10;

/// What a query can be made of (decided in the reference of the query language).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Construct {
    /// `tea`
    Word,
    /// `title:tea`
    FieldWord,
    /// `"green tea"`
    Phrase,
    /// `"green tea"~3`
    Slop,
    /// `te?t`
    AnyOne,
    /// `te*`
    Prefix,
    /// `*st`
    Suffix,
    /// `roam~`
    Fuzzy,
    /// `roam~1`
    FuzzyDistance,
    /// `[a TO b]`
    Inclusive,
    /// `{a TO b}`
    Exclusive,
    /// `[a TO b}`
    Mixed,
    /// `[* TO b]`
    Open,
    /// `f:[* TO *]`
    Unbounded,
    /// `f:>=5`
    Comparison,
    /// `/regex/`
    Regex,
    /// `*:*`
    All,
    /// `f:*`
    FieldAny,
    /// `_exists_:f`
    Exists,
    /// `_key:x`
    Key,
    /// `_collection:x`
    Collection,
    /// `tcp\/ip`
    Escape,
    /// `*:tea`
    EveryField,
    /// `foo-bar`
    Hyphenated,
    /// `"!!"`
    Wordless,
    /// `a - b`
    BareOperator,
    /// `title:(a b)`
    FieldGroup,
    /// `a b`
    Juxtaposition,
    /// `a AND b`
    And,
    /// `a OR b`
    Or,
    /// `a && b`
    AndSign,
    /// `a || b`
    OrSign,
    /// `NOT a`
    Not,
    /// `!a`
    Bang,
    /// `+a`
    Plus,
    /// `-a`
    Minus,
    /// `(a b)`
    Group,
    /// `a^2`
    Boost,
}

use Construct::*;

/// Those that are a clause by themselves.
pub(super) const LEAVES: [Construct; 27] = [
    Word,
    FieldWord,
    Phrase,
    Slop,
    AnyOne,
    Prefix,
    Suffix,
    Fuzzy,
    FuzzyDistance,
    Inclusive,
    Exclusive,
    Mixed,
    Open,
    Unbounded,
    Comparison,
    Regex,
    All,
    FieldAny,
    Exists,
    Key,
    Collection,
    Escape,
    EveryField,
    Hyphenated,
    Wordless,
    BareOperator,
    FieldGroup,
];
/// Those that join two clauses.
pub(super) const JOINS: [Construct; 5] = [Juxtaposition, And, Or, AndSign, OrSign];
/// Those that stand before a clause.
pub(super) const MODIFIERS: [Construct; 4] = [Not, Bang, Plus, Minus];
/// Those that stand around a clause.
pub(super) const WRAPS: [Construct; 2] = [Group, Boost];

/// Queries, and how often each construct and each pair is in them.
pub struct Generated {
    /// The queries, no two the same.
    pub queries: Vec<Query>,
    /// What each of them is made of.
    pub constructs: Vec<BTreeSet<Construct>>,
    /// How many have both; for a construct and itself, how many have it.
    pub counts: BTreeMap<(Construct, Construct), usize>,
}

/// The same queries for the same documents and seed.
pub fn generate(documents: &[Document], seed: u64, least: usize) -> Generated {
    let vocabulary = Vocabulary::of(documents);
    let mut random = Random::new(seed);
    let mut generated =
        Generated { queries: Vec::new(), constructs: Vec::new(), counts: pairs().map(|pair| (pair, 0)).collect() };
    let mut seen = BTreeSet::new();
    for construct in all() {
        for _ in 0..EACH {
            generated.add(&[construct], &vocabulary, &mut random, &mut seen);
        }
    }
    while let Some((first, second)) = generated.rarest() {
        let mut wanted = vec![first, second];
        wanted.extend((0..random.below(3)).map(|_| any(&mut random)));
        generated.add(&wanted, &vocabulary, &mut random, &mut seen);
    }
    while generated.queries.len() < least {
        let wanted: Vec<_> = (0..=random.below(5)).map(|_| any(&mut random)).collect();
        generated.add(&wanted, &vocabulary, &mut random, &mut seen);
    }
    generated
}

impl Generated {
    fn add(&mut self, wanted: &[Construct], from: &Vocabulary, random: &mut Random, seen: &mut BTreeSet<String>) {
        let (query, used) = compose(wanted, from, random);
        if !seen.insert(query.ghost.clone()) {
            return;
        }
        for first in &used {
            for second in used.range(first..) {
                *self.counts.entry((*first, *second)).or_default() += 1;
            }
        }
        self.queries.push(query);
        self.constructs.push(used);
    }

    /// The pair that is in the fewest queries, if that are too few.
    fn rarest(&self) -> Option<(Construct, Construct)> {
        let (pair, count) = self.counts.iter().min_by_key(|(_, count)| **count)?;
        (*count < EACH).then_some(*pair)
    }
}

fn all() -> impl Iterator<Item = Construct> + Clone {
    LEAVES.into_iter().chain(JOINS).chain(MODIFIERS).chain(WRAPS)
}

/// Each construct with itself and with those after it. There are few queries without a word: `*:*` alone is one.
fn pairs() -> impl Iterator<Item = (Construct, Construct)> {
    all().flat_map(|first| all().filter(move |second| *second >= first).map(move |second| (first, second)))
}

fn any(random: &mut Random) -> Construct {
    let all: Vec<_> = all().collect();
    *random.pick(&all)
}
