//! Tells an observer how far the transfers of files are.

use std::sync::Arc;

use crate::{Transfer, TransferObserver};

/// A transfer of a file that is under way. It ends when it is dropped.
#[derive(Clone)]
pub(super) struct Observed(Option<Arc<Observer>>);

struct Observer(TransferObserver);

impl Observed {
    /// Begins a transfer of this many bytes.
    pub(super) fn begin(observer: Option<&TransferObserver>, bytes: u64) -> Self {
        Self(observer.map(|observer| {
            observer(Transfer::Begun(bytes));
            Arc::new(Observer(Arc::clone(observer)))
        }))
    }

    /// For what is not a file.
    pub(super) fn nothing() -> Self {
        Self(None)
    }

    pub(super) fn advance(&self, bytes: u64) {
        if let Some(observer) = &self.0 {
            (observer.0)(Transfer::Progress(bytes));
        }
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        (self.0)(Transfer::Ended);
    }
}
