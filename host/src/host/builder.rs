//! Building a host.

use std::{
    collections::BTreeSet,
    mem,
    sync::{Arc, OnceLock},
};

use tokio::sync::Semaphore;
use wasmtime::{Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::{Host, Shared};
use crate::{
    Error, ErrorCode, Limits,
    engine::{self, Ticker, built_in::InPlace, config},
    functions::{Functions, Table},
    g::Namespace,
    gate::{Connections, MAX_POOLS},
};

/// How the memory of a run is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instances {
    /// From the system, for each run: the lowest start-up cost, for a program that runs few scripts.
    #[default]
    OnDemand,
    /// From a pool for this many runs at a time (1 or more), which is allocated when the host is created: the fastest for
    /// many runs. Further runs, and JavaScript to be compiled, wait for a slot in the pool.
    Pool(u32),
}

/// Builds a [`Host`].
#[derive(Clone, Debug)]
#[must_use]
pub struct HostBuilder {
    instances: Instances,
    max_limits: Option<Limits>,
    max_pools: usize,
    without: BTreeSet<Namespace>,
    functions: Vec<Functions>,
}

impl Default for HostBuilder {
    fn default() -> Self {
        Self {
            instances: Instances::default(),
            max_limits: None,
            max_pools: MAX_POOLS,
            without: BTreeSet::new(),
            functions: Vec::new(),
        }
    }
}

impl HostBuilder {
    /// Sets how the memory of runs is allocated. The default is [`Instances::OnDemand`].
    pub fn instances(mut self, instances: Instances) -> Self {
        self.instances = instances;
        self
    }

    /// Sets the most that a run of the host may have, whatever its [`RunOptions`](crate::RunOptions) ask for. By default, the
    /// limits of each run are as it asks for.
    pub fn max_limits(mut self, limits: Limits) -> Self {
        self.max_limits = Some(limits);
        self
    }

    /// Sets how many pools of connections, one for each secret, an external namespace keeps; the default is 128. Beyond it, the
    /// least recently used pool is closed, but never one in use.
    pub fn max_pools(mut self, pools: usize) -> Self {
        self.max_pools = pools;
        self
    }

    /// Switches a namespace off. Its methods still exist, but fail with [`ErrorCode::Blocked`]: those of a local namespace throw, those of an
    /// external one reject. By default, a host offers each namespace that ghost was [built](Namespace::is_built_in) with.
    pub fn without(mut self, namespace: Namespace) -> Self {
        self.without.insert(namespace);
        self
    }

    /// Adds a namespace of functions to `g`, in the scripts of every run of the host. See [`functions`](crate::functions).
    pub fn functions(mut self, functions: Functions) -> Self {
        self.functions.push(functions);
        self
    }

    /// Builds the host.
    ///
    /// Fails with [`ErrorCode::InvalidArgument`] for a pool of 0 instances, or a name of a function that is not allowed, with
    /// [`ErrorCode::Unavailable`] on a processor that is too old, and with [`ErrorCode::Internal`] when the system has not enough memory for the instances.
    pub fn build(mut self) -> Result<Host, Error> {
        if self.instances == Instances::Pool(0) {
            return Err(Error::invalid("a pool needs at least one instance"));
        }
        if !engine::has_processor() {
            let message = format!("ghost needs a processor of the level {} (SSE4.2 and POPCNT)", config::X86_64);
            return Err(Error::new(ErrorCode::Unavailable, message));
        }
        let functions = Table::new(
            mem::take(&mut self.functions),
            &Namespace::ALL.iter().map(|one| one.name()).collect::<Vec<_>>(),
        )?;
        let shared = self.shared(functions);
        let shared =
            shared.map_err(|cause| Error::new(ErrorCode::Internal, "WebAssembly can't be set up").because(cause))?;
        Ok(Host(Arc::new(shared)))
    }

    fn shared(self, functions: Table) -> wasmtime::Result<Shared> {
        let mut config = config::common();
        let mut slots = None;
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        if let Instances::Pool(count) = self.instances {
            slots = Some(Arc::new(Semaphore::new(usize::try_from(count)?.min(Semaphore::MAX_PERMITS))));
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(count)));
        }
        let engine = Engine::new(&config)?;
        Ok(Shared {
            ticker: Ticker::new(engine.clone()),
            script: OnceLock::new(),
            local_script: OnceLock::new(),
            connections: Arc::new(Connections::new(self.max_pools)),
            functions: Arc::new(functions),
            slots,
            max_limits: self.max_limits,
            without: self.without,
            engine,
        })
    }
}

/// How much memory a slot of the pool keeps after its run: as much as most scripts write.
const RESIDENT_MEMORY_BYTES: usize = 4 << 20;
const RESIDENT_TABLE_BYTES: usize = 256 << 10;

fn pool(count: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(count)
        .total_stacks(count)
        .total_core_instances(count.saturating_mul(8))
        .total_memories(count.saturating_mul(2))
        .total_tables(count.saturating_mul(8));
    // If the system reports which pages a run wrote, only those are reset, and they stay allocated. Releasing and allocating
    // all pages takes half of the time of a short run.
    if PoolingAllocationConfig::is_pagemap_scan_available() {
        pool.pagemap_scan(Enabled::Yes)
            .linear_memory_keep_resident(RESIDENT_MEMORY_BYTES)
            .table_keep_resident(RESIDENT_TABLE_BYTES);
    }
    pool
}
