//! ghost runs JavaScript in a WebAssembly sandbox and provides it with storage through one global, `g`.
//!
//! ```text
//! Host ─── compile ──► Script ─── run(RunOptions) ──► Outcome
//! ```
//!
//! A [`Host`] contains the state that all runs share. A [`Script`] is compiled once and runs any number of times. Workspace,
//! origin, input and limits are options of a run, so one host serves many tenants.
#![warn(missing_debug_implementations)]

mod bindings;
mod budget;
pub mod bundle;
#[cfg(test)]
mod child_process_test;
pub mod compilation;
mod console;
mod data;
mod directory;
mod engine;
mod folder;
mod g;
mod gate;
mod host;
mod index;
mod indexing;
#[cfg(test)]
mod module_cycles_test;
mod options;
mod outcome;
mod run;
pub mod secrets;
pub mod workspace;

/// Access to the documents of a workspace for a program.
pub mod store {
    pub use crate::{
        data::store::{Document, ListOptions, Moment, Sort, Times},
        g::store::Documents,
    };
}

/// Access to the search of a workspace for a program.
pub mod search {
    pub use crate::{
        data::search::Collection,
        g::search::{Found, IndexInfo, Options, Searches},
        index::{Indexing, Marks},
    };
}

/// Access to the queues of a workspace for a program.
pub mod queue {
    pub use crate::{
        data::{
            queue::{Counts, EnqueueOptions, Item, Overview, Page},
            time::iso,
        },
        g::queue::Queues,
    };
}

pub use bindings::{
    error::Error,
    ghost::g::{
        console::Level,
        types::{ErrorCode, Exception, Frame},
    },
};
pub use host::{Host, HostBuilder, Instances, Script};
pub use options::{ConsoleSink, Limits, Origin, RunOptions, Timeouts, Transfer, TransferObserver};
pub use outcome::{ConsoleLine, Failure, Figures, Outcome, ValueError};
