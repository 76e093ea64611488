//! Divides documents into requests.

use std::collections::HashSet;

use super::documents::Document;

/// The most bytes of a request.
pub(super) const MAX_BYTES: usize = 5_000_000;

/// The documents of one request.
pub(super) struct Chunk<'d> {
    /// The positions of those that are still to be stored.
    pub(super) pending: Vec<usize>,
    /// The number of those that are stored.
    pub(super) stored: u64,
    ids: Vec<&'d str>,
}

impl Chunk<'_> {
    /// Returns the most bytes that the body may have.
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

/// The requests for some documents, one after the other.
///
/// The requests that are in flight at one time contain no id twice, and neither does one of them: documents with the same id
/// are stored in their order, also when some are sent again.
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

    /// Returns the next request. None at the end, and when the next document has to wait for a request in flight.
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

    /// A request has ended.
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

    /// Divides documents into requests that end at once, and returns their positions; a `None` waits for the one before.
    fn divided(json: &str, max_documents: usize) -> Vec<Vec<usize>> {
        let documents = documents::read(json, &mut gate().call_for_tests().buffer()).unwrap();
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
    fn requests_have_a_number_of_documents() {
        assert_eq!(divided("[]", 2), Vec::<Vec<usize>>::new());
        assert_eq!(divided("[{},{},{},{},{}]", 2), [vec![0, 1], vec![2, 3], vec![4]]);
        assert_eq!(divided("[{},{}]", 1_000), [vec![0, 1]]);
    }

    #[test]
    fn requests_have_a_length() {
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
        let documents = documents::read(json, &mut gate().call_for_tests().buffer()).unwrap();
        let body = Chunk { pending: vec![0, 1], stored: 0, ids: Vec::new() }.body(&documents);
        let expected = "{\"index\":{\"_id\":\"x\\\"y\"}}\n{\"a\":1e400,\"b\":{\"_id\":\"inner\"}}\n{\"index\":{}}\n\
                        {\"n\": 12345678901234567890}\n";
        assert_eq!(body, expected);
    }

    #[test]
    fn a_document_that_can_not_be_stored_is_named() {
        let refused = |json: &str, expected: &str| {
            let error = documents::read(json, &mut gate().call_for_tests().buffer()).map(drop).unwrap_err();
            assert_eq!(error.message, expected, "{json}");
        };
        refused("{}", "documents must be an array of objects");
        refused("[{},1]", "documents[1] must be an object, not a number");
        refused(r#"[{"_id":1}]"#, "documents[0]._id must be a string, not a number");
        refused(r#"[{},{"_id":""}]"#, "documents[1]._id is empty");
        refused(r#"[{"_id":"a","_id":"b"}]"#, "documents[0]._id is there twice");
        let long = format!("[{{\"a\":\"{}\"}}]", "x".repeat(MAX_BYTES));
        refused(&long, "documents[0] is 5000040 bytes in a request, the limit is 5000000; store it with index");
        // Its id is not looked for.
        let long = format!("[{{\"a\":\"{}\",\"_id\":1}}]", "x".repeat(MAX_BYTES));
        refused(&long, "documents[0] is 5000048 bytes in a request, the limit is 5000000; store it with index");
    }
}
