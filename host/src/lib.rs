//! ghost runs JavaScript in a WebAssembly sandbox and gives it storage: one global, `g`.
//!
//! ```text
//! Host ─── compile ──► Script ─── run(RunOptions) ──► Outcome
//! ```
//!
//! A [`Host`] holds what all runs share. A [`Script`] is compiled once and runs any number of times. Everything that
//! belongs to one tenant (workspace, origin, input, limits) is given to the run, so one host serves many.

mod engine;
mod error;
#[allow(dead_code, unused_imports, reason = "called by what serves the WIT")]
mod g;
mod run;
#[allow(dead_code, unused_imports, reason = "called by what serves the WIT")]
pub mod workspace;

pub use engine::{Host, Script};
pub use error::{Error, ErrorCode};
pub use run::{
    ConsoleLine, ConsoleSink, Exception, Failure, Figures, Frame, Level, Limits, Origin, Outcome, RunOptions,
};
