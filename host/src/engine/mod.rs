//! Wasmtime: its configuration, the JavaScript engine that is built in, the linkers.
//!
//! The one place of the host with `unsafe`: the native code of the engine lies in the program itself and is made
//! executable where it lies.
#![allow(unsafe_code, reason = "code that was compiled at build is loaded without a copy")]

mod config;
mod ticker;
mod wasi;

use std::{ptr::NonNull, sync::Arc};

use wasmtime::{
    CustomCodeMemory, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
    component::{Component, HasSelf, Linker},
};

use crate::{
    Error, ErrorCode,
    bindings::{EnginePre, ghost, script::LocalScriptPre},
    run::State,
};
use ticker::Ticker;
pub(crate) use ticker::Ticking;

/// How the memory of a run is had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instances {
    /// From the system, for each run: the least to start with, for a program that runs few scripts.
    #[default]
    OnDemand,
    /// From a pool for this many runs at a time, which is there from the start: the fastest for many runs.
    Pool(u32),
}

/// What all runs share: WebAssembly with JavaScript in it. Clones share it.
#[derive(Clone)]
pub struct Host(Arc<Shared>);

struct Shared {
    engine: Engine,
    /// For components of other languages; see [`linker`].
    linker: Linker<State>,
    /// The engine that is built in, to compile with and to run with.
    compiler: EnginePre<State>,
    runner: Arc<LocalScriptPre<State>>,
    ticker: Ticker,
}

impl Host {
    /// A host for a program that runs few scripts at a time.
    pub fn new() -> Result<Self, Error> {
        Self::with(Instances::default())
    }

    /// A host that has the memory of its runs as `instances` says.
    pub fn with(instances: Instances) -> Result<Self, Error> {
        Self::build(instances)
            .map_err(|cause| Error::new(ErrorCode::Internal, "WebAssembly can't be set up").because(cause))
    }

    fn build(instances: Instances) -> wasmtime::Result<Self> {
        let mut config = config::common();
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        if let Instances::Pool(count) = instances {
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(count)));
        }
        let engine = Engine::new(&config)?;
        let mut linker = linker(&engine)?;
        let foreign = linker.clone();
        ghost::g::program::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        let javascript = linker.instantiate_pre(&built_in(&engine)?)?;
        Ok(Self(Arc::new(Shared {
            ticker: Ticker::new(engine.clone()),
            engine,
            linker: foreign,
            compiler: EnginePre::new(javascript.clone())?,
            runner: Arc::new(LocalScriptPre::new(javascript)?),
        })))
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Compiles JavaScript.
    pub(crate) fn compiler(&self) -> &EnginePre<State> {
        &self.0.compiler
    }

    /// Runs what the compiler made.
    pub(crate) fn runner(&self) -> &Arc<LocalScriptPre<State>> {
        &self.0.runner
    }

    pub(crate) fn ticker(&self) -> &Ticker {
        &self.0.ticker
    }

    /// Compiles a component and links it. The error says what does not fit.
    pub(crate) fn link(&self, component: &[u8]) -> wasmtime::Result<LocalScriptPre<State>> {
        LocalScriptPre::new(self.0.linker.instantiate_pre(&Component::new(&self.0.engine, component)?)?)
    }
}

/// What a component may import: `g`, and of WASI what languages need to start.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasi::add_to_linker(&mut linker)?;
    ghost::g::console::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    ghost::g::store::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    ghost::g::queue::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    ghost::g::search::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    Ok(linker)
}

/// How much a place in the pool keeps when its run has ended: what most scripts write.
const RESIDENT_MEMORY_BYTES: usize = 4 << 20;
const RESIDENT_TABLE_BYTES: usize = 256 << 10;

fn pool(count: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(count)
        .total_stacks(count)
        .total_core_instances(count * 8)
        .total_memories(count * 2)
        .total_tables(count * 8);
    // Where the system tells which pages a run wrote, only those are reset and stay in place. Giving all back and taking
    // them anew is half of the time of a short run.
    if PoolingAllocationConfig::is_pagemap_scan_available() {
        pool.pagemap_scan(Enabled::Yes)
            .linear_memory_keep_resident(RESIDENT_MEMORY_BYTES)
            .table_keep_resident(RESIDENT_TABLE_BYTES);
    }
    pool
}

/// Aligned to a page, so that the code in it can be made executable.
#[repr(C, align(4096))]
struct PageAligned<B: ?Sized>(B);

static ENGINE: &PageAligned<[u8]> = &PageAligned(*include_bytes!(env!("GHOST_ENGINE")));

/// The engine that `build.rs` compiled.
fn built_in(engine: &Engine) -> wasmtime::Result<Component> {
    // SAFETY: the bytes were made by `Engine::precompile_component` in the build script of this very program and are part of
    // it, so they live as long as it and nobody writes to them.
    unsafe { Component::deserialize_raw(engine, NonNull::from(&ENGINE.0)) }
}

/// Makes code executable where it lies.
struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        4096
    }

    fn publish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
        protect(code, length, libc::PROT_READ | libc::PROT_EXEC)
    }

    fn unpublish_executable(&self, code: *const u8, length: usize) -> wasmtime::Result<()> {
        if ENGINE.0.as_ptr_range().contains(&code) {
            return Ok(()); // other hosts of this process run the same code
        }
        protect(code, length, libc::PROT_READ | libc::PROT_WRITE)
    }
}

fn protect(code: *const u8, length: usize, protection: libc::c_int) -> wasmtime::Result<()> {
    // SAFETY: Wasmtime names whole pages of code that it was given or has mapped itself.
    match unsafe { libc::mprotect(code.cast_mut().cast(), length, protection) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().into()),
    }
}
