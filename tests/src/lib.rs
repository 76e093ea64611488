//! Helpers for the tests of ghost. The tests use it as its users do: as a program that is run in a folder.

pub mod canary;
pub mod case;
pub mod component;
pub mod deadline;
mod directives;
pub mod folder;
pub mod machine;
pub mod own_process;
pub mod program;
pub mod reference;
pub mod root;
pub mod servers;

/// The examples of the README that are Rust, so that they compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
