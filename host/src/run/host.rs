//! Serves the interfaces that belong to no namespace: `console.wit`, `program.wit`, `runtime.wit`, and the errors of
//! `types.wit`.

use std::{sync::Arc, time::Duration};

use wasmtime::{
    bail,
    component::{Accessor, HasSelf},
};

use super::{State, outcome_of::InternalFault};
use crate::{
    Error, ErrorCode, Level,
    bindings::{
        error,
        ghost::g::{console, program, runtime, types},
    },
};

/// The maximum number of sleeps at a time. ghost's engine needs one, for its next timer; other components may need
/// more.
pub(super) const SLEEPS: usize = 16;

impl console::Host for State {
    fn write(&mut self, level: Level, text: String) -> wasmtime::Result<()> {
        self.console.write(level, text);
        Ok(())
    }
}

impl program::Host for State {
    fn bytecode(&mut self) -> wasmtime::Result<Vec<u8>> {
        Ok(self.bytecode.to_vec())
    }
}

impl runtime::Host for State {
    fn memory(&mut self) -> wasmtime::Result<u64> {
        Ok(self.memory.limit())
    }

    fn fault(&mut self, message: String) -> wasmtime::Result<()> {
        Err(InternalFault(message).into())
    }
}

impl<T: Send> runtime::HostWithStore<T> for HasSelf<State> {
    async fn sleep(accessor: &Accessor<T, Self>, milliseconds: u64) -> wasmtime::Result<()> {
        let sleeps = accessor.with(|mut access| Arc::clone(&access.get().sleeps));
        let Ok(_sleep) = sleeps.try_acquire_owned() else { bail!("more than {SLEEPS} sleeps at a time") };
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        Ok(())
    }
}

impl types::Host for State {
    /// Returns an error as the script sees it. An error that ends the run traps instead.
    fn convert_error(&mut self, mut error: Error) -> wasmtime::Result<types::Error> {
        if error.ends_run() {
            return Err(error.into());
        }
        if error.code == ErrorCode::Internal {
            let reference = error::reference();
            tracing::error!(reference, cause = ?std::error::Error::source(&error), "{error}");
            error.message = format!("internal error (reference {reference})");
        }
        let details = error.details.map(|details| details.to_string());
        Ok(types::Error { code: error.code, message: error.message, details })
    }
}
