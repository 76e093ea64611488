//! Words like a misspelt one, scored as Lucene does it.

use tantivy::{
    Score, Term,
    query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery, Weight},
    schema::{Field, IndexRecordOption},
};

/// Any of these words, each with how alike it is to the one that was asked for.
///
/// They count as one word: otherwise a rare misspelling would come before the word itself.
#[derive(Clone, Debug)]
pub(super) struct Near {
    pub(super) words: Vec<(Term, Score)>,
}

impl Near {
    fn any(&self) -> BooleanQuery {
        let clause = |(term, alike): &(Term, Score)| -> (Occur, Box<dyn Query>) {
            let query = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(BoostQuery::new(Box::new(query), *alike)))
        };
        BooleanQuery::new(self.words.iter().map(clause).collect())
    }
}

impl Query for Near {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let EnableScoring::Enabled { searcher, statistics_provider } = scoring else {
            return self.any().weight(scoring);
        };
        let mut most = 0;
        for (term, _) in &self.words {
            most = most.max(statistics_provider.doc_freq(term)?);
        }
        let as_one = AsOne { statistics: statistics_provider, documents: most };
        self.any().weight(EnableScoring::enabled_from_statistics_provider(&as_one, searcher))
    }
}

/// Every word is in as many documents as the most frequent one.
struct AsOne<'s> {
    statistics: &'s dyn Bm25StatisticsProvider,
    documents: u64,
}

impl Bm25StatisticsProvider for AsOne<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.statistics.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.statistics.total_num_docs()
    }

    fn doc_freq(&self, _: &Term) -> tantivy::Result<u64> {
        Ok(self.documents)
    }
}
