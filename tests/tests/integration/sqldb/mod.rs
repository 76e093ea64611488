//! `g.sqldb` beyond what one script sees.

mod liars;
mod names;
mod network_faults;
mod pooler;
mod pools;
pub mod secrets;
mod values;
