//! The folder that a run's data lives in.

/// A workspace.
#[derive(Clone)]
pub struct Workspace {}
