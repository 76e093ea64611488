//! A run and the host around it: limits, isolation, and how a run ends.

mod component_faults;
mod hosts;
mod limits;
mod namespaces;
mod origins;
mod process_protection;
mod sandbox;
