//! Compiling components in a process of its own, and keeping what it makes.
//!
//! The compiler can neither be stopped nor bounded from within a process. A child process can: it has a limit on its memory,
//! and it is killed when the time of the run is over.

mod cache;
mod process;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use wasmtime::{Engine, component::Component};

use self::cache::Cache;
use crate::{Failure, engine::compiled};
pub use process::serve;

/// The largest component, in bytes. Compiled, it takes several times as much.
pub const MAX_COMPONENT_BYTES: usize = 64 << 20;

/// Compiles components in a child process, and keeps the native code in a folder of the user.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: PathBuf,
    arguments: Vec<OsString>,
    cache: Option<Cache>,
}

impl Compiler {
    /// Compiles by a program that calls [`serve`] when it is started with these arguments. It gets no environment.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments, cache: None }
    }

    /// Keeps compiled components in a folder, which is created with mode 0700: at most 1 GiB, the least recently written go.
    /// An entry that is damaged, or that another user owns or can write, is never loaded.
    #[must_use]
    pub fn cached_in(self, folder: &Path) -> Self {
        Self { cache: Some(Cache::new(folder)), ..self }
    }

    /// Compiles a component, or takes it from the cache. `limit` is the memory limit of a run, in bytes.
    pub(crate) async fn compile(&self, engine: &Engine, component: &[u8], limit: u64) -> Result<Component, Failure> {
        let entry = self.cache.as_ref().map(|cache| cache.entry(engine, component));
        let largest = process::largest_code(component, limit);
        if let Some(code) = entry.as_ref().and_then(|entry| entry.read(largest)) {
            match compiled::load(engine, &code) {
                Ok(loaded) => return Ok(loaded),
                Err(error) => tracing::debug!(%error, "a cached component can't be loaded, and is compiled again"),
            }
        }
        let code = process::compile(&self.program, &self.arguments, component, limit).await?;
        let loaded = compiled::load(engine, &code)
            .map_err(|error| Failure::NotStarted(format!("the component can't be loaded: {error:#}")))?;
        if let Some(Err(error)) = entry.map(|entry| entry.write(&code)) {
            tracing::warn!(%error, "a compiled component can't be kept");
        }
        Ok(loaded)
    }
}
