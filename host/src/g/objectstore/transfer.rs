//! Reports the progress of file transfers to an observer.

use std::sync::Arc;

use crate::{Transfer, TransferObserver};

/// A file transfer that an observer may observe. Dropping its last clone reports its end.
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

    /// Returns a transfer without an observer, for a text.
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
