//! Phrases whose words may be moved, found and scored as Lucene does it.
//!
//! Tantivy's slop is another one: a word of the document may stand for two of the phrase, moves add up from word to word,
//! and a phrase that is far apart counts as much as a close one.

use tantivy::{
    DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError, Term,
    fieldnorm::FieldNormReader,
    postings::SegmentPostings,
    query::{Bm25StatisticsProvider, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight},
    schema::IndexRecordOption,
};

use super::{
    moves::{Word, frequency, repeated},
    stop::Stop,
};

/// The words of a phrase, two at the least, and how far they may be moved in all.
#[derive(Clone, Debug)]
pub(super) struct Sloppy {
    pub(super) terms: Vec<Term>,
    pub(super) slop: u32,
    pub(super) stop: Stop,
}

impl Query for Sloppy {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let similarity = match scoring {
            EnableScoring::Enabled { statistics_provider, .. } => Similarity::of(&self.terms, statistics_provider)?,
            EnableScoring::Disabled { .. } => Similarity { weight: 0.0, average: 1.0 },
        };
        Ok(Box::new(SloppyWeight { phrase: self.clone(), similarity }))
    }
}

/// BM25 with a frequency that is no whole number.
#[derive(Clone, Copy)]
struct Similarity {
    weight: Score,
    /// The average number of words in a document.
    average: Score,
}

impl Similarity {
    const K1: Score = 1.2;
    const B: Score = 0.75;

    fn of(terms: &[Term], statistics: &dyn Bm25StatisticsProvider) -> tantivy::Result<Self> {
        let documents = statistics.total_num_docs()?;
        let mut rarity = 0.0;
        for term in terms {
            let with_it = statistics.doc_freq(term)? as Score;
            rarity += (1.0 + (documents as Score - with_it + 0.5) / (with_it + 0.5)).ln();
        }
        let words = terms.first().map_or(Ok(0), |term| statistics.total_num_tokens(term.field()))?;
        Ok(Self { weight: rarity * (1.0 + Self::K1), average: words as Score / documents as Score })
    }

    fn score(self, frequency: Score, words: u32) -> Score {
        let norm = Self::K1 * (1.0 - Self::B + Self::B * words as Score / self.average);
        self.weight * frequency / (frequency + norm)
    }
}

struct SloppyWeight {
    phrase: Sloppy,
    similarity: Similarity,
}

impl SloppyWeight {
    /// Nothing, when a word is not in the segment.
    fn sloppy_scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Option<SloppyScorer>> {
        let Some(first) = self.phrase.terms.first().filter(|_| !self.phrase.stop.now()) else { return Ok(None) };
        let words = reader.inverted_index(first.field())?;
        let mut postings = Vec::with_capacity(self.phrase.terms.len());
        for term in &self.phrase.terms {
            let Some(found) = words.read_postings(term, IndexRecordOption::WithFreqsAndPositions)? else {
                return Ok(None);
            };
            postings.push(found);
        }
        let rarest = (0..postings.len()).min_by_key(|word| postings[*word].doc_freq()).unwrap_or_default();
        let mut scorer = SloppyScorer {
            words: (0..).map(Word::new).take(postings.len()).collect(),
            postings,
            rarest,
            repeated: repeated(&self.phrase.terms),
            slop: self.phrase.slop,
            frequency: 0.0,
            lengths: reader.get_fieldnorms_reader(first.field())?,
            similarity: Similarity { weight: self.similarity.weight * boost, ..self.similarity },
            stop: self.phrase.stop.clone(),
        };
        scorer.settle();
        Ok(Some(scorer))
    }
}

impl Weight for SloppyWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(match self.sloppy_scorer(reader, boost)? {
            Some(scorer) => Box::new(scorer),
            None => Box::new(EmptyScorer),
        })
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        let scorer = self.sloppy_scorer(reader, 1.0)?;
        scorer
            .filter(|scorer| scorer.doc() <= document)
            .and_then(|mut scorer| (scorer.seek(document) == document).then(|| scorer.score()))
            .map(|score| Explanation::new("words of the phrase that are near enough", score))
            .ok_or_else(|| TantivyError::InvalidArgument(format!("document {document} does not have the phrase")))
    }
}

struct SloppyScorer {
    /// One for each word of the phrase.
    postings: Vec<SegmentPostings>,
    words: Vec<Word>,
    /// The word that the fewest documents have: it leads.
    rarest: usize,
    repeated: Vec<Vec<usize>>,
    slop: u32,
    frequency: Score,
    lengths: FieldNormReader,
    similarity: Similarity,
    stop: Stop,
}

impl SloppyScorer {
    /// Goes on to the first document that has the phrase, from where it stands.
    fn settle(&mut self) -> DocId {
        loop {
            let document = self.doc();
            if document == TERMINATED || self.stop.step() {
                return TERMINATED;
            }
            let candidate = self.candidate(document);
            if candidate > document {
                self.postings[self.rarest].seek(candidate);
            } else if self.has_phrase() {
                return document;
            } else {
                self.postings[self.rarest].advance();
            }
        }
    }

    /// The first document that may have all words, from this one on.
    fn candidate(&mut self, document: DocId) -> DocId {
        for postings in &mut self.postings {
            if postings.doc() < document {
                postings.seek(document);
            }
            if postings.doc() > document {
                return postings.doc();
            }
        }
        document
    }

    fn has_phrase(&mut self) -> bool {
        for (word, postings) in self.words.iter_mut().zip(&mut self.postings) {
            // A document may have a word a million times.
            if self.stop.now() {
                return false;
            }
            word.read(postings);
        }
        self.frequency = frequency(&mut self.words, &self.repeated, self.slop, &self.stop);
        self.frequency > 0.0
    }
}

impl DocSet for SloppyScorer {
    fn advance(&mut self) -> DocId {
        self.postings[self.rarest].advance();
        self.settle()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc() < target {
            self.postings[self.rarest].seek(target);
            self.settle();
        }
        self.doc()
    }

    fn doc(&self) -> DocId {
        if self.stop.is_cut() { TERMINATED } else { self.postings[self.rarest].doc() }
    }

    fn size_hint(&self) -> u32 {
        self.postings[self.rarest].size_hint()
    }
}

impl Scorer for SloppyScorer {
    fn score(&mut self) -> Score {
        self.similarity.score(self.frequency, self.lengths.fieldnorm(self.doc()))
    }
}
