//! A few documents, made into a segment of the index at once.
//!
//! Tantivy's writer thread allocates tables for half a million words. For a few documents this takes longer than everything
//! else. So documents are gathered here, and handed to the writer only when there are many.

use std::{collections::BTreeMap, mem};

use tantivy::{
    DocId, IndexWriter, Score, SegmentReader, TantivyError, Term,
    index::{Segment, SegmentId},
    indexer::{AddOperation, SegmentWriter},
    query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, TermQuery, Weight},
    schema::IndexRecordOption,
};

use super::flat::Flat;

/// The limits of a small batch.
const MAX_DOCUMENTS: usize = 500;
const MAX_BYTES: usize = 1 << 20;
/// The memory budget for Tantivy, which gives its table of words at most a third of it.
const MEMORY: usize = 1 << 20;

/// Documents that are in no segment yet.
#[derive(Default)]
pub(super) struct SmallBatch {
    /// The segment that the documents will form, once its id was needed.
    segment: Option<Segment>,
    /// By their names, with the number of the collection.
    documents: BTreeMap<String, (u64, Flat)>,
    bytes: usize,
}

impl SmallBatch {
    /// Adds a document in place of the one with its name.
    pub(super) fn put(&mut self, name: String, collection: u64, document: Flat) {
        self.bytes += document.bytes();
        self.documents.insert(name, (collection, document));
    }

    pub(super) fn delete(&mut self, name: &str) {
        self.documents.remove(name);
    }

    pub(super) fn delete_collection(&mut self, number: u64) {
        self.documents.retain(|_, (collection, _)| *collection != number);
    }

    /// Returns the query of a deletion: it matches the documents with this term in all segments except the batch's own.
    pub(super) fn others(&mut self, writer: &IndexWriter<Flat>, term: Term) -> Box<dyn Query> {
        let segment = self.segment.get_or_insert_with(|| writer.new_segment());
        Box::new(Others { term, except: segment.id() })
    }

    pub(super) fn are_many(&self) -> bool {
        self.documents.len() > MAX_DOCUMENTS || self.bytes > MAX_BYTES
    }

    /// All of them; then there are none.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Flat> + use<> {
        self.bytes = 0;
        mem::take(&mut self.documents).into_values().map(|(_, document)| document)
    }

    /// Makes a segment of them, if there are any.
    pub(super) fn finish(&mut self, writer: &IndexWriter<Flat>) -> Result<(), TantivyError> {
        let segment = self.segment.take();
        if self.documents.is_empty() {
            return Ok(());
        }
        let segment = segment.unwrap_or_else(|| writer.new_segment());
        let mut made = SegmentWriter::for_segment(MEMORY, segment.clone())?;
        for document in self.take() {
            // Deletions skip this segment (`Others`), so any order of these operations will do.
            made.add_document(AddOperation { opstamp: 0, document })?;
        }
        let count = made.max_doc();
        made.finalize()?;
        let segment = segment.with_max_doc(count);
        segment.meta().untrack_temp_docstore();
        writer.add_segment(segment.meta().clone())
    }
}

/// Matches the documents with a term in all segments but one.
///
/// Tantivy applies a deletion to the documents that were added before it. But to a segment that is added as a whole it applies
/// every deletion that is still in its queue, also earlier ones. Deletions of earlier commits have left the queue, unless the
/// index had no segment then.
#[derive(Clone, Debug)]
struct Others {
    term: Term,
    except: SegmentId,
}

impl Query for Others {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let all = TermQuery::new(self.term.clone(), IndexRecordOption::Basic).weight(scoring)?;
        Ok(Box::new(OthersWeight { all, except: self.except }))
    }
}

struct OthersWeight {
    all: Box<dyn Weight>,
    except: SegmentId,
}

impl Weight for OthersWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        if reader.segment_id() == self.except { Ok(Box::new(EmptyScorer)) } else { self.all.scorer(reader, boost) }
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.all.explain(reader, document)
    }
}
