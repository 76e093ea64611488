//! A query that looks at the clock while documents are looked for.

use tantivy::{
    DocId, DocSet, Score, SegmentReader, TERMINATED,
    query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight},
};

use super::stop::Stop;

/// Finds what another query finds, until it is told to stop: then nothing more.
#[derive(Clone, Debug)]
pub(super) struct Watched<Q> {
    pub(super) query: Q,
    pub(super) stop: Stop,
}

impl<Q: Query + Clone> Query for Watched<Q> {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let weight = self.query.weight(scoring)?;
        Ok(Box::new(WatchedWeight { weight, stop: self.stop.clone() }))
    }
}

struct WatchedWeight {
    weight: Box<dyn Weight>,
    stop: Stop,
}

impl Weight for WatchedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        // To make a scorer is to find its first document.
        if self.stop.now() {
            return Ok(Box::new(EmptyScorer));
        }
        Ok(Box::new(WatchedScorer { scorer: self.weight.scorer(reader, boost)?, stop: self.stop.clone() }))
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.weight.explain(reader, document)
    }
}

/// Documents of a scorer.
pub(super) struct WatchedScorer {
    pub(super) scorer: Box<dyn Scorer>,
    pub(super) stop: Stop,
}

impl DocSet for WatchedScorer {
    fn advance(&mut self) -> DocId {
        if self.stop.step() {
            return TERMINATED;
        }
        self.scorer.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.stop.step() {
            return TERMINATED;
        }
        self.scorer.seek(target)
    }

    fn doc(&self) -> DocId {
        if self.stop.is_cut() { TERMINATED } else { self.scorer.doc() }
    }

    fn size_hint(&self) -> u32 {
        self.scorer.size_hint()
    }
}

impl Scorer for WatchedScorer {
    fn score(&mut self) -> Score {
        self.scorer.score()
    }
}
