//! What a run has of the host's files.

use crate::{TransferObserver, directory::Directory};

/// The folder in which a script may name files, and who is told of their transfers.
#[derive(Clone, Default)]
pub(crate) struct Files {
    pub(crate) directory: Directory,
    pub(crate) transfers: Option<TransferObserver>,
}
