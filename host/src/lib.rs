//! ghost runs JavaScript in a WebAssembly sandbox and gives it storage: one global, `g`.
//!
//! ```text
//! Host ─── compile ──► Script ─── run(RunOptions) ──► Outcome
//! ```
//!
//! A [`Host`] holds what all runs share. A [`Script`] is compiled once and runs any number of times. Everything that
//! belongs to one tenant (workspace, origin, input, limits) is given to the run, so one host serves many.
#![warn(missing_debug_implementations)]

mod bindings;
mod budget;
mod console;
mod data;
mod engine;
mod folder;
mod g;
mod gate;
mod host;
mod index;
mod indexing;
mod options;
mod outcome;
#[cfg(test)]
mod rooms_test;
mod run;
pub mod secrets;
pub mod workspace;

/// The documents of a workspace, for a program that is no script.
pub mod store {
    pub use crate::{
        data::store::{Document, ListOptions, Moment, Sort, Times},
        g::store::Documents,
    };
}

/// The search of a workspace, for a program that is no script.
pub mod search {
    pub use crate::{
        data::search::Collection,
        g::search::{Found, IndexInfo, Options, Searches},
        index::{Indexing, Marks},
    };
}

/// The queues of a workspace, for a program that is no script.
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
pub use host::{Host, Instances, Script};
pub use options::{ConsoleSink, Limits, Origin, RunOptions, Timeouts};
pub use outcome::{ConsoleLine, Failure, Figures, Outcome};
