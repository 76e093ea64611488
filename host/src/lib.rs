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
mod console;
mod engine;
mod error;
mod folder;
mod g;
mod gate;
mod index;
mod options;
mod outcome;
mod run;
pub mod secrets;
pub mod workspace;

/// Access to the documents of a workspace for a program.
pub mod store {
    pub use crate::g::store::{Document, Documents, ListOptions, Moment, Sort, Times};
}

/// Access to the search of a workspace for a program.
pub mod search {
    pub use crate::{
        g::search::{Collection, Found, IndexInfo, Options, Searches},
        index::{Indexing, Marks},
    };
}

/// Access to the queues of a workspace for a program.
pub mod queue {
    pub use crate::g::{
        queue::{Counts, Item, Overview, Page, Queues, Urgency},
        time::iso,
    };
}

pub use bindings::ghost::g::{
    console::Level,
    types::{ErrorCode, Exception, Frame},
};
pub use engine::{Host, Instances};
pub use error::Error;
pub use options::{ConsoleSink, Limits, Origin, RunOptions, Timeouts};
pub use outcome::{ConsoleLine, Failure, Figures, Outcome};
pub use run::Script;
