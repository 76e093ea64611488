//! Wasmtime: its configuration, the engine that is built in, what turns source into a script.

use crate::{Failure, Outcome, RunOptions};

/// What all runs share: the WebAssembly engine with JavaScript in it.
#[derive(Clone)]
pub struct Host {}

/// A script that can run, any number of times.
#[derive(Clone)]
pub struct Script {}

impl Host {
    /// A host for a program that runs few scripts.
    pub fn new() -> Result<Self, crate::Error> {
        Ok(Self {})
    }

    /// Compiles JavaScript inside the sandbox. `name` is what stacks show.
    ///
    /// Fails with [`Failure::Exception`] when the source does not parse, or defines no `main`.
    pub async fn compile(&self, _name: &str, _source: &str) -> Result<Script, Failure> {
        Ok(Script {})
    }

    /// Makes a script of a component of any language that fits `ghost:g`.
    pub fn load(&self, _component: &[u8]) -> Result<Script, Failure> {
        Ok(Script {})
    }

    /// Runs a script, and returns when it and all that it started have ended.
    pub async fn run(&self, _script: &Script, _options: RunOptions) -> Outcome {
        unimplemented!("comes with the engine")
    }
}
