//! The access of a run to local files.

use crate::{TransferObserver, directory::Directory};

/// The folder whose files a script may transfer, and the observer of the transfers.
#[derive(Clone, Default)]
pub(crate) struct Files {
    pub(crate) directory: Directory,
    pub(crate) transfers: Option<TransferObserver>,
}
