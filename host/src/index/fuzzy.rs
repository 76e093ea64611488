//! Words like a misspelt one, scored as Lucene does it.

use tantivy::{
    DocId, Score, SegmentReader, Term,
    query::{
        Bm25StatisticsProvider, BooleanQuery, BoostQuery, EnableScoring, Explanation, Occur, Query, Scorer, TermQuery,
        Weight,
    },
    schema::{Field, IndexRecordOption},
};

/// Any of these words, each with how alike it is to the one that was asked for.
///
/// They count as one word: otherwise a rare misspelling would come before the word itself.
#[derive(Clone, Debug)]
pub(super) struct Fuzzy {
    pub(super) words: Vec<(Term, Score)>,
}

impl Fuzzy {
    fn any(&self) -> BooleanQuery {
        let clause = |(term, alike): &(Term, Score)| -> (Occur, Box<dyn Query>) {
            let query = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(BoostQuery::new(Box::new(query), *alike)))
        };
        BooleanQuery::new(self.words.iter().map(clause).collect())
    }
}

impl Query for Fuzzy {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let EnableScoring::Enabled { searcher, statistics_provider } = scoring else {
            return self.any().weight(scoring);
        };
        let mut most = 0;
        for (term, _) in &self.words {
            most = most.max(statistics_provider.doc_freq(term)?);
        }
        let as_one = AsOne { statistics: statistics_provider, documents: most };
        let weight = self.any().weight(EnableScoring::enabled_from_statistics_provider(&as_one, searcher))?;
        Ok(Box::new(Each(weight)))
    }
}

/// Looks at every document of any of the words. Tantivy would look for those that can still be among the best, block by
/// block: among dozens of words that weigh nearly the same it skips nothing, and takes five times as long.
struct Each(Box<dyn Weight>);

impl Weight for Each {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        self.0.scorer(reader, boost)
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, document)
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
