//! ghost runs JavaScript in a WebAssembly sandbox and provides it with storage through one global, `g`.
//!
//! ```
//! use ghost::{Host, RunOptions, Script};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let host = Host::new()?;
//! let script = Script::from_source(&host, "greet.js", "export const main = (name) => `Hello, ${name}`;").await?;
//! let options = RunOptions::default().with_argument("Ada")?;
//! let greeting: String = host.run(&script, options).await.value()?;
//! assert_eq!(greeting, "Hello, Ada");
//! # Ok(())
//! # }
//! ```
//!
//! A [`Host`] contains the state that all runs share. A [`Script`] is compiled once and runs any number of times. Workspace,
//! secrets, origin, arguments, console and limits are options of a run ([`RunOptions`]), so one host serves many tenants. The
//! [`Outcome`] has the result or a [`Failure`].
//!
//! | For | See |
//! |---|---|
//! | documents, queues and search of a workspace, outside of scripts | [`workspace`], [`store`], [`queue`], [`search`] |
//! | connection strings of external systems | [`secrets`] |
//! | scripts as WebAssembly components | [`bundle`], [`compilation`] |
//! | many short runs | [`Host::builder`], [`Instances::Pool`] |
#![warn(missing_debug_implementations)]
#![cfg_attr(
    not(all(feature = "clustersearch", feature = "documentdb", feature = "objectstore", feature = "sqldb")),
    allow(dead_code, unused_imports, reason = "the code that the external namespaces share is not split by features")
)]

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
pub mod functions;
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
        data::store::{Document, ListOptions, Moment, SearchOptions, Sort, Times},
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
pub use data::DataLimits;
pub use g::Namespace;
pub use host::{Host, HostBuilder, Instances, Script};
pub use options::{ConsoleSink, Context, Limits, Origin, RunOptions, Timeouts, Transfer, TransferObserver};
pub use outcome::{ConsoleLine, Failure, Figures, Outcome, ValueError};
