//! The problems that a check of a workspace finds.

/// The maximum number of problems that are described.
const DESCRIBED: usize = 20;

/// The problems of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// Descriptions of the first problems.
    pub first: Vec<String>,
    /// The number of problems.
    pub count: usize,
    /// How many of them are damaged indexes, which are rebuilt from the documents.
    pub indexes: usize,
}

impl Problems {
    /// Adds a damaged index.
    pub(crate) fn note_index(&mut self, problem: String) {
        self.indexes += 1;
        self.note(problem);
    }

    pub(crate) fn note(&mut self, problem: String) {
        self.count += 1;
        if self.first.len() < DESCRIBED {
            self.first.push(problem);
        }
    }
}
