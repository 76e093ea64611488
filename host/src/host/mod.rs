//! The host: compiles scripts, links them to `g` as their origin allows, and runs them.

mod check_secret;
mod foreign;
#[cfg(test)]
mod loss_test;
mod run;
mod script;
mod world;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, component::Component};

use crate::{
    Error, ErrorCode,
    bindings::script::ScriptPre,
    bundle::World,
    engine::{self, Ticker, built_in::InPlace, compiler, config},
    gate::Connections,
    run::State,
};
pub use script::Script;
use world::{JavaScript, LinkedWorld};

/// How the memory of a run is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instances {
    /// From the system, for each run: the lowest start-up cost, for a program that runs few scripts.
    #[default]
    OnDemand,
    /// From a pool for this many runs at a time (1 or more), which is allocated when the host is created: the fastest for
    /// many runs. Further runs, and scripts to be compiled, wait for a slot in the pool.
    Pool(u32),
}

/// What all runs share: WebAssembly with JavaScript in it. Clones share it.
#[derive(Clone)]
pub struct Host(Arc<Shared>);

struct Shared {
    engine: Engine,
    script: OnceLock<LinkedWorld>,
    local_script: OnceLock<LinkedWorld>,
    ticker: Ticker,
    connections: Arc<Connections>,
    /// One for each instance of a pool.
    slots: Option<Arc<Semaphore>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}

impl Host {
    /// Creates a host for a program that runs few scripts at a time.
    pub fn new() -> Result<Self, Error> {
        Self::with(Instances::default())
    }

    /// Creates a host that allocates the memory of its runs as `instances` specifies.
    ///
    /// Fails with `invalid-argument` for a pool of 0, with `unavailable` on a processor that is too old, and with `internal`
    /// when the system has not enough memory for the pool.
    pub fn with(instances: Instances) -> Result<Self, Error> {
        if instances == Instances::Pool(0) {
            return Err(Error::invalid("a pool needs at least one instance"));
        }
        if !engine::has_processor() {
            let message = format!("ghost needs a processor of the level {} (SSE4.2 and POPCNT)", config::X86_64);
            return Err(Error::new(ErrorCode::Unavailable, message));
        }
        Self::build(instances)
            .map_err(|cause| Error::new(ErrorCode::Internal, "WebAssembly can't be set up").because(cause))
    }

    fn build(instances: Instances) -> wasmtime::Result<Self> {
        let mut config = config::common();
        let mut slots = None;
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        if let Instances::Pool(count) = instances {
            slots = Some(Arc::new(Semaphore::new(usize::try_from(count)?.min(Semaphore::MAX_PERMITS))));
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(count)));
        }
        let engine = Engine::new(&config)?;
        Ok(Self(Arc::new(Shared {
            ticker: Ticker::new(engine.clone()),
            script: OnceLock::new(),
            local_script: OnceLock::new(),
            connections: Arc::default(),
            slots,
            engine,
        })))
    }

    fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Returns the JavaScript engine for scripts of a world.
    fn javascript(&self, world: World) -> wasmtime::Result<&JavaScript> {
        self.world(world)?.javascript(&self.0.engine)
    }

    fn world(&self, world: World) -> wasmtime::Result<&LinkedWorld> {
        let linked = match world {
            World::Script => &self.0.script,
            World::LocalScript => &self.0.local_script,
        };
        if let Some(linked) = linked.get() {
            return Ok(linked);
        }
        let made = LinkedWorld::of(world, &self.0.engine)?;
        Ok(linked.get_or_init(|| made))
    }

    /// Waits for a slot for an instance; `None` if the number of instances has no limit.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let slots = self.0.slots.clone()?;
        // The semaphore is never closed.
        slots.acquire_owned().await.ok()
    }

    fn ticker(&self) -> &Ticker {
        &self.0.ticker
    }

    /// What the runs share: pools and clean-up tasks.
    fn connections(&self) -> &Arc<Connections> {
        &self.0.connections
    }

    /// Waits until the resources that dropped runs left at remote systems are cleaned up, for at most one second: for a
    /// program that ends after it dropped a run.
    pub async fn finish_cleanup(&self) {
        self.0.connections.finish_cleanup().await;
    }

    /// Compiles a component; none when compiling takes more than this many bytes of memory.
    fn component(&self, bytes: &[u8], memory: u64) -> wasmtime::Result<Option<Component>> {
        compiler::compile(&self.0.engine, bytes, memory)
    }

    /// Links a component to a world. The error states which import or export does not match.
    fn link(&self, component: &Component, world: World) -> wasmtime::Result<ScriptPre<State>> {
        self.world(world)?.link(component)
    }
}

/// How much memory a slot of the pool keeps after its run: as much as most scripts write.
const RESIDENT_MEMORY_BYTES: usize = 4 << 20;
const RESIDENT_TABLE_BYTES: usize = 256 << 10;

fn pool(count: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(count)
        .total_stacks(count)
        .total_core_instances(count * 8)
        .total_memories(count * 2)
        .total_tables(count * 8);
    // If the system reports which pages a run wrote, only those are reset, and they stay allocated. Releasing and allocating
    // all pages takes half of the time of a short run.
    if PoolingAllocationConfig::is_pagemap_scan_available() {
        pool.pagemap_scan(Enabled::Yes)
            .linear_memory_keep_resident(RESIDENT_MEMORY_BYTES)
            .table_keep_resident(RESIDENT_TABLE_BYTES);
    }
    pool
}
