//! Divides documents into requests.

use std::collections::HashSet;

use super::documents::Document;

/// The maximum length of a request, in bytes.
pub(super) const MAX_BYTES: usize = 5_000_000;

/// The documents of one request.
pub(super) struct Chunk<'d> {
    /// The positions of the documents that are not stored yet.
    pub(super) pending: Vec<usize>,
    /// The number of documents that are stored.
    pub(super) stored: u64,
    ids: Vec<&'d str>,
}

impl Chunk<'_> {
    /// Returns an upper bound of the length of the body, in bytes.
    pub(super) fn bytes(&self, documents: &[Document<'_>]) -> usize {
        self.pending.iter().map(|position| documents[*position].bytes()).sum()
    }

    /// Returns the body of a request for the documents that are pending.
    pub(super) fn body(&self, documents: &[Document<'_>]) -> String {
        let mut body = String::with_capacity(self.bytes(documents));
        self.pending.iter().for_each(|position| documents[*position].write(&mut body));
        body
    }
}

/// Divides documents into chunks, one after the other.
///
/// No id occurs twice, neither within one request nor across the requests in flight. Documents with the same id are
/// therefore stored in their order, also when some are sent again.
pub(super) struct Chunks<'d> {
    documents: &'d [Document<'d>],
    next: usize,
    max_documents: usize,
    in_flight: HashSet<&'d str>,
}

impl<'d> Chunks<'d> {
    pub(super) fn of(documents: &'d [Document<'d>], max_documents: usize) -> Self {
        Self { documents, next: 0, max_documents, in_flight: HashSet::new() }
    }

    /// Returns the next chunk; `None` at the end, or when the next document has to wait until a request in flight has
    /// ended.
    pub(super) fn next(&mut self) -> Option<Chunk<'d>> {
        let (mut chunk, mut bytes) = (Chunk { pending: Vec::new(), stored: 0, ids: Vec::new() }, 0);
        while let Some(document) = self.documents.get(self.next).filter(|_| chunk.pending.len() < self.max_documents) {
            bytes += document.bytes();
            let is_too_long = bytes > MAX_BYTES && !chunk.pending.is_empty();
            if is_too_long || document.id.as_deref().is_some_and(|id| self.in_flight.contains(id)) {
                break;
            }
            if let Some(id) = document.id.as_deref() {
                self.in_flight.insert(id);
                chunk.ids.push(id);
            }
            chunk.pending.push(self.next);
            self.next += 1;
        }
        if chunk.pending.is_empty() { None } else { Some(chunk) }
    }

    /// Records that the request for a chunk has ended.
    pub(super) fn finish(&mut self, chunk: &Chunk<'d>) {
        for id in &chunk.ids {
            self.in_flight.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Origin, g::clustersearch::bulk::documents, gate::Gate};

    fn gate() -> Gate {
        Gate::new(&Limits::of(Origin::Local), tokio::time::Instant::now(), None, std::sync::Arc::default())
    }

    /// Divides documents into requests, and returns the positions in each. A request ends when the next one was made,
    /// or when `next` has returned `None`.
    fn divided(json: &str, max_documents: usize) -> Vec<Vec<usize>> {
        let documents = documents::read(json, &mut gate().call_for_tests().answer_counter()).unwrap();
        let mut chunks = Chunks::of(&documents, max_documents);
        let (mut all, mut last) = (Vec::new(), None);
        loop {
            match (chunks.next(), last.take()) {
                (Some(chunk), before) => {
                    all.push(chunk.pending.clone());
                    before.into_iter().for_each(|before| chunks.finish(&before));
                    last = Some(chunk);
                }
                (None, Some(before)) => chunks.finish(&before),
                (None, None) => return all,
            }
        }
    }

    #[test]
    fn the_number_of_documents_in_a_request_is_limited() {
        assert_eq!(divided("[]", 2), Vec::<Vec<usize>>::new());
        assert_eq!(divided("[{},{},{},{},{}]", 2), [vec![0, 1], vec![2, 3], vec![4]]);
        assert_eq!(divided("[{},{}]", 1_000), [vec![0, 1]]);
    }

    #[test]
    fn the_length_of_a_request_is_limited() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(2_400_000));
        assert_eq!(divided(&format!("[{long},{long},{long},{{}}]"), 1_000), [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn no_request_has_an_id_twice_nor_one_that_is_in_flight() {
        let json = r#"[{"_id":"a"},{"_id":"b"},{"_id":"a","n":2},{"_id":"c"},{"_id":"b","n":3},{}]"#;
        assert_eq!(divided(json, 1_000), [vec![0, 1], vec![2, 3, 4, 5]]);
        assert_eq!(divided(r#"[{"_id":"a"},{"_id":"a"},{"_id":"a"}]"#, 9), [vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn the_id_of_a_document_is_not_stored_in_it() {
        let json = "[{\"a\":1e400, \"_id\":\"x\\\"y\", \"b\":{\"_id\":\"inner\"}},\n{\"n\":\n12345678901234567890}]";
        let documents = documents::read(json, &mut gate().call_for_tests().answer_counter()).unwrap();
        let body = Chunk { pending: vec![0, 1], stored: 0, ids: Vec::new() }.body(&documents);
        let expected = "{\"index\":{\"_id\":\"x\\\"y\"}}\n{\"a\":1e400,\"b\":{\"_id\":\"inner\"}}\n{\"index\":{}}\n\
                        {\"n\": 12345678901234567890}\n";
        assert_eq!(body, expected);
    }

    #[test]
    fn a_document_that_can_not_be_stored_is_named() {
        let refused = |json: &str, expected: &str| {
            let error = documents::read(json, &mut gate().call_for_tests().answer_counter()).map(drop).unwrap_err();
            assert_eq!(error.message, expected, "{json}");
        };
        refused("{}", "documents must be an array of objects");
        refused("[{},1]", "documents[1] must be an object, not a number");
        refused(r#"[{"_id":1}]"#, "documents[0]._id must be a string, not a number");
        refused(r#"[{},{"_id":""}]"#, "documents[1]._id is empty");
        refused(r#"[{"_id":"a","_id":"b"}]"#, "documents[0]._id occurs twice");
        let long = format!("[{{\"a\":\"{}\"}}]", "x".repeat(MAX_BYTES));
        refused(&long, "documents[0] is 5000040 bytes in a request, the limit is 5000000; store it with index");
        // The length is checked before the id.
        let long = format!("[{{\"a\":\"{}\",\"_id\":1}}]", "x".repeat(MAX_BYTES));
        refused(&long, "documents[0] is 5000048 bytes in a request, the limit is 5000000; store it with index");
    }
}
