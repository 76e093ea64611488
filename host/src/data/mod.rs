//! What a workspace contains: documents, items of queues and searchable documents, as rows of redb tables, and the
//! rules for changing them.
//!
//! ```text
//! Tables (one transaction) ── store ── queue ── search     rows, limits, order
//! ProcessState             ── state that a process keeps between transactions: the clock, the live checkouts
//! ```
//!
//! The workspace opens the database, begins transactions and commits them; it knows the rows by [`Tables`] and
//! [`ProcessState`]. This module opens no file but the one that notifies other processes (`queue/notify.rs`).

pub(crate) mod checksum;
pub(crate) mod collections;
mod failure;
mod limits;
pub(crate) mod log;
mod omitted;
mod problems;
pub(crate) mod purge;
pub(crate) mod queue;
mod quota;
pub(crate) mod search;
mod source;
mod state;
pub(crate) mod store;
mod table;
mod tables;
pub(crate) mod time;
pub(crate) mod validate;

pub(crate) use failure::{DAMAGED, failed, reason, storage_reason};
pub use limits::DataLimits;
pub(crate) use omitted::Omitted;
pub use problems::Problems;
pub(crate) use quota::Quota;
pub(crate) use source::{IndexedNamespace, Numbered, Source, Step};
pub(crate) use state::ProcessState;
pub(crate) use table::{Changes, Dirty, Opening, Table};
pub(crate) use tables::{TableSet, Tables, check, holds_nothing, open_each, rebuild_indexes};
pub(crate) use time::{Clock, system_clock};
