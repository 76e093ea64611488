//! The documents that a query finds, in order: by score, ties by their names.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use tantivy::{
    Searcher, SegmentReader, TantivyError, Term,
    query::{BooleanQuery, ConstScoreQuery, EnableScoring, Occur, Query, TermQuery, Weight},
    schema::IndexRecordOption,
};

use super::{
    View,
    compile::{self, compile},
    failed,
    schema::{ID, names_of},
};
use crate::Error;

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) collection: String,
    pub(crate) key: String,
    pub(crate) score: f32,
}

/// Which documents come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    BestFirst,
    WorstFirst,
}

/// A document of a segment, the one that comes first being the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    score: f32,
    /// The place of its name among the segment's.
    name: u64,
}

impl Eq for Found {}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.name.cmp(&self.name))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl View {
    /// Refuses a malformed query.
    pub(crate) fn check(query: &str) -> Result<(), Error> {
        compile::parse(query).map(drop)
    }

    /// The first `most` documents that a query finds, in one collection (by its number) or in all.
    pub(crate) fn find(
        &self,
        query: &str,
        collection: Option<u64>,
        order: Order,
        most: usize,
    ) -> Result<Vec<Hit>, Error> {
        let query = compile(query, &self.searcher, &self.fields)?;
        let query = match collection {
            Some(number) => self.within(query, number),
            None => query,
        };
        // Damaged files can make Tantivy panic.
        catch_unwind(AssertUnwindSafe(|| top(&self.searcher, &*query, order, most)))
            .unwrap_or_else(|_| Err(TantivyError::InternalError("a panic".into())))
            .map_err(failed)
    }

    fn within(&self, query: Box<dyn Query>, number: u64) -> Box<dyn Query> {
        let term = Term::from_field_u64(self.fields.collection, number);
        let within = ConstScoreQuery::new(Box::new(TermQuery::new(term, IndexRecordOption::Basic)), 0.0);
        Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, Box::new(within))]))
    }
}

fn top(searcher: &Searcher, query: &dyn Query, order: Order, most: usize) -> Result<Vec<Hit>, TantivyError> {
    let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
    let mut hits = Vec::new();
    for segment in searcher.segment_readers() {
        of_segment(&*weight, segment, order, most, &mut hits)?;
    }
    hits.sort_by(|one, other| {
        let by_score = match order {
            Order::BestFirst => other.score.total_cmp(&one.score),
            Order::WorstFirst => one.score.total_cmp(&other.score),
        };
        by_score.then_with(|| (&one.collection, &one.key).cmp(&(&other.collection, &other.key)))
    });
    hits.truncate(most);
    Ok(hits)
}

fn of_segment(
    weight: &dyn Weight,
    segment: &SegmentReader,
    order: Order,
    most: usize,
    hits: &mut Vec<Hit>,
) -> Result<(), TantivyError> {
    let Some(names) = segment.fast_fields().str(ID)? else { return Ok(()) };
    if most == 0 {
        return Ok(());
    }
    let is_alive = |document| segment.alive_bitset().is_none_or(|alive| alive.is_alive(document));
    let mut first: BinaryHeap<Reverse<Found>> = BinaryHeap::new();
    let mut take = |document, score: f32| {
        let sign = if order == Order::BestFirst { 1.0 } else { -1.0 };
        let full = first.len() == most;
        let worst = first.peek().filter(|_| full).map(|worst| worst.0);
        if worst.is_none_or(|worst| sign * score >= worst.score) && is_alive(document) {
            let found = Found { score: sign * score, name: names.ords().first(document).unwrap_or(u64::MAX) };
            if worst.is_none_or(|worst| found > worst) {
                if full {
                    first.pop();
                }
                first.push(Reverse(found));
            }
        }
        // What ties with the last one that is kept may still come before it.
        match first.peek().filter(|_| first.len() == most && order == Order::BestFirst) {
            Some(worst) => worst.0.score.next_down(),
            None => f32::NEG_INFINITY,
        }
    };
    weight.for_each_pruning(f32::NEG_INFINITY, segment, &mut take)?;
    let mut name = String::new();
    for Reverse(found) in first {
        if names.ord_to_str(found.name, &mut name)?
            && let Some((collection, key)) = names_of(&name)
        {
            let score = if order == Order::BestFirst { found.score } else { -found.score };
            hits.push(Hit { collection, key, score });
        }
    }
    Ok(())
}
