//! Constructs to one query.

use std::collections::BTreeSet;

use super::{
    Query,
    generate::{Construct, JOINS, LEAVES, MODIFIERS},
    leaves::leaf,
    random::Random,
    vocabulary::Vocabulary,
};

/// A query with these constructs, and all that it has. What it asks for comes from one document, so that even a query
/// of many musts finds something; what it excludes comes from another.
pub(super) fn compose(wanted: &[Construct], from: &Vocabulary, random: &mut Random) -> (Query, BTreeSet<Construct>) {
    let used: BTreeSet<Construct> = wanted.iter().copied().collect();
    let of = |kind: &[Construct]| used.iter().copied().filter(|c| kind.contains(c)).collect::<Vec<_>>();
    let (mut leaves, mut joins, modifiers) = (of(&LEAVES), of(&JOINS), of(&MODIFIERS));
    let mut used = used.clone();
    let clauses = leaves.len().max(joins.len() + 1).max(modifiers.len());
    let padding = clauses - leaves.len();
    leaves.extend((0..padding).map(|_| if random.once_in(2) { Construct::Word } else { Construct::FieldWord }));
    let more = leaves.len() - 1 - joins.len();
    joins.extend((0..more).map(|_| *random.pick(&JOINS)));
    shuffle(&mut leaves, random);
    shuffle(&mut joins, random);
    used.extend(leaves.iter().chain(&joins));
    let mut clauses = clauses_of(&leaves, modifiers, from, random);
    if used.contains(&Construct::Group) {
        group(&mut clauses, &mut joins, random);
    }
    if used.contains(&Construct::Boost) {
        boost(&mut clauses, random);
    }
    (joined(&clauses, &joins), used)
}

fn clauses_of(
    leaves: &[Construct],
    mut modifiers: Vec<Construct>,
    from: &Vocabulary,
    random: &mut Random,
) -> Vec<Query> {
    modifiers.resize(leaves.len(), Construct::Word);
    shuffle(&mut modifiers, random);
    let (sought, excluded) = (random.below(usize::MAX), random.below(usize::MAX));
    let clause = |(construct, modifier): (&Construct, Construct)| {
        let (before, document) = match modifier {
            Construct::Not => ("NOT ", excluded),
            Construct::Bang => ("!", excluded),
            Construct::Minus => ("-", excluded),
            Construct::Plus => ("+", sought),
            _ => ("", sought),
        };
        leaf(*construct, document, from, random).map(|text| format!("{before}{text}"))
    };
    leaves.iter().zip(modifiers).map(clause).collect()
}

/// Puts one clause in parentheses, or two.
fn group(clauses: &mut Vec<Query>, joins: &mut Vec<Construct>, random: &mut Random) {
    let first = random.below(clauses.len());
    if first + 1 < clauses.len() {
        let second = clauses.remove(first + 1);
        let join = joins.remove(first);
        clauses[first] = joined(&[clauses[first].clone(), second], &[join]);
    }
    clauses[first] = clauses[first].map(|text| format!("({text})"));
}

fn boost(clauses: &mut [Query], random: &mut Random) {
    let boost = *random.pick(&["2", "0.5", "3.25", "10"]);
    let clause = random.below(clauses.len());
    clauses[clause] = clauses[clause].map(|text| format!("{text}^{boost}"));
}

fn joined(clauses: &[Query], joins: &[Construct]) -> Query {
    let mut query = clauses[0].clone();
    for (clause, join) in clauses[1..].iter().zip(joins) {
        let sign = match join {
            Construct::And => " AND ",
            Construct::Or => " OR ",
            Construct::AndSign => " && ",
            Construct::OrSign => " || ",
            _ => " ",
        };
        query = Query {
            ghost: format!("{}{sign}{}", query.ghost, clause.ghost),
            reference: format!("{}{sign}{}", query.reference, clause.reference),
        };
    }
    query
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for index in (1..items.len()).rev() {
        items.swap(index, random.below(index + 1));
    }
}
