//! The program's commands: their arguments, what they print and how they end.

mod interruption;
mod output;
mod program;
mod queue;
mod search;
mod secrets;
mod store;
mod terminal;
