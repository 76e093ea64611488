//! ghost as its users meet it: the program, run in a folder, and the library, run by a host.
//!
//! One program for all of these tests, because each program links everything that ghost is made of.

mod build;
mod bundles;
mod cli;
mod clustersearch;
mod commands;
mod documentdb;
mod engine;
mod examples;
mod external;
mod functions;
mod hostile_runs;
mod library;
mod mcp;
mod objectstore;
mod queue;
mod run;
mod search;
mod sqldb;
mod store;
mod workspace;
