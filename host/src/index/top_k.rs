//! The documents that a query finds, in order: by score, ties by their names.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    vec,
};

use tantivy::{
    DocAddress, DocId, Searcher, SegmentReader, TantivyDocument, TantivyError, Term,
    query::{BooleanQuery, ConstScoreQuery, EnableScoring, Occur, Query, TermQuery, Weight},
    schema::{Field, IndexRecordOption, Value},
};

use super::{
    Problem, View,
    compile::{self, compile},
    schema::{ID, names_of},
    stop::Stop,
};
use crate::Error;

/// By how much of itself a sum of scores may be off.
const ROUNDING: f32 = 1e-5;

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
    document: DocId,
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
        stop: &Stop,
    ) -> Result<Vec<Hit>, Problem> {
        let find = || {
            let query = compile(query, &self.searcher, &self.fields, stop)?;
            let query = match collection {
                Some(number) => self.within(query, number),
                None => query,
            };
            Ok(top(&self.searcher, self.fields.id, &*query, order, most, stop)?)
        };
        // Damaged files can make Tantivy panic.
        let found = catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|_| Err(Problem::damage("a panic")));
        match found {
            Err(Problem::Call(error)) => Err(error.into()),
            _ if stop.is_cut() => Err(stop.error().into()),
            found => found,
        }
    }

    fn within(&self, query: Box<dyn Query>, number: u64) -> Box<dyn Query> {
        let term = Term::from_field_u64(self.fields.collection, number);
        let within = ConstScoreQuery::new(Box::new(TermQuery::new(term, IndexRecordOption::Basic)), 0.0);
        Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, Box::new(within))]))
    }
}

fn top(
    searcher: &Searcher,
    id: Field,
    query: &dyn Query,
    order: Order,
    most: usize,
    stop: &Stop,
) -> Result<Vec<Hit>, TantivyError> {
    let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
    let names = Names { searcher, id };
    let mut heads = Vec::new();
    for (ord, segment) in (0..).zip(searcher.segment_readers()) {
        let mut found = of_segment(&*weight, segment, order, most, stop)?.into_iter();
        heads.extend(names.next(ord, &mut found)?.map(|first| (first, ord, found)));
    }
    // Names are long to read: of each segment only those that come before all of the others.
    let mut hits = Vec::new();
    while hits.len() < most && !stop.step() {
        let Some(at) = (0..heads.len()).max_by(|one, other| compare(&heads[*one].0, &heads[*other].0)) else { break };
        let (head, ord, found) = &mut heads[at];
        let (score, name) = match names.next(*ord, found)? {
            Some(next) => mem::replace(head, next),
            None => heads.swap_remove(at).0,
        };
        let (collection, key) = names_of(&name).ok_or_else(|| nameless("a document has half a name"))?;
        let score = if order == Order::BestFirst { score } else { -score };
        hits.push(Hit { collection, key, score });
    }
    Ok(hits)
}

/// A score, signed so that more comes first, and the name of the document that has it.
type Scored = (f32, String);

/// The one that comes first is the greater.
fn compare(one: &Scored, other: &Scored) -> Ordering {
    one.0.total_cmp(&other.0).then_with(|| other.1.cmp(&one.1))
}

/// The names of documents, as they are stored.
struct Names<'s> {
    searcher: &'s Searcher,
    id: Field,
}

impl Names<'_> {
    /// The next of the documents that were found in a segment.
    fn next(&self, segment: u32, found: &mut vec::IntoIter<Found>) -> Result<Option<Scored>, TantivyError> {
        let Some(Found { score, document, .. }) = found.next() else { return Ok(None) };
        let stored: TantivyDocument = self.searcher.doc(DocAddress::new(segment, document))?;
        let name = stored.get_first(self.id).and_then(|name| name.as_str());
        let name = name.ok_or_else(|| nameless("a document has no name"))?;
        Ok(Some((score, name.to_owned())))
    }
}

fn nameless(what: &str) -> TantivyError {
    TantivyError::InternalError(what.into())
}

/// The first documents of a segment, in order.
fn of_segment(
    weight: &dyn Weight,
    segment: &SegmentReader,
    order: Order,
    most: usize,
    stop: &Stop,
) -> Result<Vec<Found>, TantivyError> {
    let names = segment.fast_fields().str(ID)?.filter(|_| most > 0);
    let Some(names) = names else { return Ok(Vec::new()) };
    let is_alive = |document| segment.alive_bitset().is_none_or(|alive| alive.is_alive(document));
    let mut first: BinaryHeap<Reverse<Found>> = BinaryHeap::new();
    let mut take = |document, score: f32| {
        if stop.step() {
            return f32::INFINITY; // no document comes before what there is
        }
        let sign = if order == Order::BestFirst { 1.0 } else { -1.0 };
        let full = first.len() == most;
        let worst = first.peek().filter(|_| full).map(|worst| worst.0);
        if worst.is_none_or(|worst| sign * score >= worst.score) && is_alive(document) {
            let name = names.ords().first(document).unwrap_or(u64::MAX);
            let found = Found { score: sign * score, name, document };
            if worst.is_none_or(|worst| found > worst) {
                if full {
                    first.pop();
                }
                first.push(Reverse(found));
            }
        }
        // What ties with the last one that is kept may still come before it. Tantivy adds up the most that a document can have
        // in another order than its score, so the most may come out below the score itself.
        match first.peek().filter(|_| first.len() == most && order == Order::BestFirst) {
            Some(worst) => (worst.0.score * (1.0 - ROUNDING)).next_down(),
            None => f32::NEG_INFINITY,
        }
    };
    weight.for_each_pruning(f32::NEG_INFINITY, segment, &mut take)?;
    Ok(first.into_sorted_vec().into_iter().map(|Reverse(found)| found).collect())
}
