//! Compiles the engine ahead of time.

fn main() {}
