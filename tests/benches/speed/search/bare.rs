//! The same documents and queries on Tantivy alone.

use std::{ops::Bound, path::Path, time::Instant};

use anyhow::Result;
use tantivy::{
    Index, IndexReader, TantivyDocument, Term,
    collector::TopDocs,
    query::{BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, RangeQuery, RegexQuery, TermQuery},
    schema::{FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TEXT},
};

use super::{
    questions::{PAGE, Question},
    words::documents,
};

pub struct Bare {
    reader: IndexReader,
    text: Field,
    year: Field,
}

impl Bare {
    /// With as much memory and as many threads as ghost uses.
    pub fn new(folder: &Path, count: usize) -> Result<Self> {
        let mut schema = Schema::builder();
        let key = schema.add_text_field("key", STRING | STORED);
        let text = schema.add_text_field("text", TEXT | STORED);
        let year = schema.add_i64_field("year", FAST | INDEXED | STORED);
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer_with_num_threads(1, 50 << 20)?;
        for document in documents(count) {
            let mut row = TantivyDocument::new();
            row.add_text(key, document.key);
            row.add_text(text, document.text);
            row.add_i64(year, document.year);
            writer.add_document(row)?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(Self { reader: index.reader()?, text, year })
    }

    fn query(&self, question: &Question) -> Result<Box<dyn Query>> {
        let term = |word: &String| Term::from_field_text(self.text, word);
        let has =
            |word: &String| -> Box<dyn Query> { Box::new(TermQuery::new(term(word), IndexRecordOption::WithFreqs)) };
        Ok(match question {
            Question::Word(word) => has(word),
            Question::Boolean([one, two, not]) => Box::new(BooleanQuery::new(vec![
                (Occur::Must, has(one)),
                (Occur::Must, has(two)),
                (Occur::MustNot, has(not)),
            ])),
            Question::Any(words) => {
                Box::new(BooleanQuery::new(words.iter().map(|word| (Occur::Should, has(word))).collect()))
            }
            Question::Phrase(words) => Box::new(PhraseQuery::new(words.iter().map(term).collect())),
            Question::Prefix(start) => Box::new(RegexQuery::from_pattern(&format!("{start}.*"), self.text)?),
            Question::Fuzzy(word) => Box::new(FuzzyTermQuery::new(term(word), 1, true)),
            Question::Range(first, last) => {
                let year = |year: i64| Bound::Included(Term::from_field_i64(self.year, year));
                Box::new(RangeQuery::new(year(*first), year(*last)))
            }
        })
    }

    /// Milliseconds a question, documents read, and how many they were.
    pub fn ask(&self, questions: &[Question], times: usize) -> Result<(f64, usize)> {
        let (searcher, mut found) = (self.reader.searcher(), 0);
        let started = Instant::now();
        for _ in 0..times {
            for question in questions {
                let page = searcher.search(&*self.query(question)?, &TopDocs::with_limit(PAGE).order_by_score())?;
                for (_, address) in &page {
                    let document: TantivyDocument = searcher.doc(*address)?;
                    std::hint::black_box(document);
                }
                found += page.len();
            }
        }
        Ok((started.elapsed().as_secs_f64() * 1_000.0 / (times * questions.len()) as f64, found))
    }
}
