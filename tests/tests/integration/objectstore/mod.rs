//! `g.objectstore` beyond what one script sees.

mod caller;
mod deadlines;
mod files;
mod network_faults;
mod secrets;
mod tls;
