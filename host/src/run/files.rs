//! The access of a run to files of the host.

use crate::{TransferObserver, directory::Directory};

/// The folder in which a script may name files, and the observer of their transfers.
#[derive(Clone, Default)]
pub(crate) struct Files {
    pub(crate) directory: Directory,
    pub(crate) transfers: Option<TransferObserver>,
}
