//! Phrases, whose words may be moved, found and scored as Lucene does it.
//!
//! Tantivy's slop is another one: a word of the document may stand for two of the phrase, moves add up from word to word,
//! and a phrase that is far apart counts as much as a close one. And each of its phrases keeps the places of its words as long
//! as the query is evaluated: hundreds of them over one large document take hundreds of megabytes. Here they are read for one
//! phrase and one document at a time, within the memory of the run.

use tantivy::{
    DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError, Term,
    fieldnorm::FieldNormReader,
    postings::{Postings, SegmentPostings},
    query::{Bm25StatisticsProvider, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight},
    schema::IndexRecordOption,
};

use super::{
    sloppy_frequency::{Word, frequency, repeated, starts},
    stop::Stop,
};

/// How many places of a word are kept from one document to the next, so that small documents need no new memory.
const PLACES: usize = 128;

/// The words of a phrase, two at the least, and how far they may be moved in all.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub(super) terms: Vec<Term>,
    pub(super) slop: u32,
    pub(super) stop: Stop,
}

impl Query for Phrase {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let similarity = match scoring {
            EnableScoring::Enabled { statistics_provider, .. } => Similarity::of(&self.terms, statistics_provider)?,
            EnableScoring::Disabled { .. } => Similarity { weight: 0.0, average: 1.0 },
        };
        Ok(Box::new(PhraseWeight { phrase: self.clone(), similarity }))
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

struct PhraseWeight {
    phrase: Phrase,
    similarity: Similarity,
}

impl PhraseWeight {
    /// Nothing, when a word is not in the segment.
    fn phrase_scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Option<PhraseScorer>> {
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
        let mut scorer = PhraseScorer {
            words: (0..).map(Word::new).take(postings.len()).collect(),
            by_rarity: (0..postings.len()).collect(),
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

impl Weight for PhraseWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(match self.phrase_scorer(reader, boost)? {
            Some(scorer) => Box::new(scorer),
            None => Box::new(EmptyScorer),
        })
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        let scorer = self.phrase_scorer(reader, 1.0)?;
        scorer
            .filter(|scorer| scorer.doc() <= document)
            .and_then(|mut scorer| (scorer.seek(document) == document).then(|| scorer.score()))
            .map(|score| Explanation::new("words of the phrase that are near enough", score))
            .ok_or_else(|| TantivyError::InvalidArgument(format!("document {document} does not have the phrase")))
    }
}

struct PhraseScorer {
    /// One for each word of the phrase.
    postings: Vec<SegmentPostings>,
    words: Vec<Word>,
    /// The same, those first that the document has the least often.
    by_rarity: Vec<usize>,
    /// The word that the fewest documents have: it leads.
    rarest: usize,
    repeated: Vec<Vec<usize>>,
    slop: u32,
    frequency: Score,
    lengths: FieldNormReader,
    similarity: Similarity,
    stop: Stop,
}

impl PhraseScorer {
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
        self.frequency = if self.slop == 0 { self.unmoved() } else { self.moved() };
        self.words.iter_mut().for_each(|word| word.forget(PLACES));
        self.frequency > 0.0
    }

    /// How often the phrase is there as it stands. The more of its words are looked at, the fewer places are left.
    fn unmoved(&mut self) -> Score {
        self.by_rarity.sort_unstable_by_key(|word| self.postings[*word].term_freq());
        let mut begins: Option<Vec<u32>> = None;
        let mut taken = 0;
        for at in 0..self.by_rarity.len() {
            let word = self.by_rarity[at];
            if !self.read(word, &mut taken) {
                return 0.0;
            }
            let left = starts(&mut self.words[word], begins.take(), &self.stop);
            if left.is_empty() {
                return 0.0;
            }
            begins = Some(left);
            // No more than those of two words are there at a time.
            if at > 0 {
                self.words[word].forget(PLACES);
                taken -= self.bytes(word);
            }
        }
        begins.map_or(0.0, |begins| begins.len() as Score)
    }

    /// The same with words that are moved, each the less the further.
    fn moved(&mut self) -> Score {
        let mut taken = 0;
        if !(0..self.words.len()).all(|word| self.read(word, &mut taken)) {
            return 0.0;
        }
        frequency(&mut self.words, &self.repeated, self.slop, &self.stop)
    }

    /// Reads the places of a word in the document, and adds what they take to what is taken. False when it was told to stop,
    /// or there is no memory for them.
    fn read(&mut self, word: usize, taken: &mut usize) -> bool {
        *taken += self.bytes(word);
        if !self.stop.has_memory(*taken) {
            self.stop.lack_memory();
        }
        // A document may have a word a million times.
        if self.stop.now() {
            return false;
        }
        self.words[word].read(&mut self.postings[word]);
        true
    }

    /// What the places of a word in the document take.
    fn bytes(&self, word: usize) -> usize {
        self.postings[word].term_freq() as usize * size_of::<u32>()
    }
}

impl DocSet for PhraseScorer {
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

impl Scorer for PhraseScorer {
    fn score(&mut self) -> Score {
        self.similarity.score(self.frequency, self.lengths.fieldnorm(self.doc()))
    }
}
