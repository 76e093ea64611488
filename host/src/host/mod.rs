//! The host: compiles scripts, links them to `g` as their origin allows, and runs them.

mod builder;
mod check_secret;
mod foreign;
#[cfg(test)]
mod loss_test;
mod run;
mod script;
mod world;

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, OnceLock},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{Engine, component::Component};

use crate::{
    Error, Limits,
    bindings::script::ScriptPre,
    bundle::World,
    engine::{Ticker, compiler},
    functions,
    g::Namespace,
    gate::Connections,
    run::State,
};
pub use builder::{HostBuilder, Instances};
pub use script::Script;
use world::{JavaScript, LinkedWorld};

/// Compiles and runs scripts. Has what all runs share: Wasmtime, the JavaScript engines, the connections to external systems, and
/// the functions of the program. A clone is the same host.
#[derive(Clone)]
pub struct Host(Arc<Shared>);

struct Shared {
    engine: Engine,
    script: OnceLock<LinkedWorld>,
    local_script: OnceLock<LinkedWorld>,
    ticker: Ticker,
    connections: Arc<Connections>,
    functions: Arc<functions::Table>,
    /// A permit for each instance of [`Instances::Pool`]; `None` for [`Instances::OnDemand`].
    slots: Option<Arc<Semaphore>>,
    /// The most that a run may have.
    max_limits: Option<Limits>,
    /// The namespaces that scripts can't use.
    without: BTreeSet<Namespace>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}

impl Host {
    /// Creates a host for a program that runs few scripts at a time; the same as `Host::builder().build()`.
    ///
    /// Fails as [`HostBuilder::build`] does.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// Returns a builder with the defaults of [`new`](Self::new).
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
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
        let made = LinkedWorld::of(world, &self.0.engine, |namespace| self.offers(namespace))?;
        Ok(linked.get_or_init(|| made))
    }

    /// Waits for a permit for an instance; returns `None` if the number of instances has no limit.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let slots = self.0.slots.clone()?;
        // The semaphore is never closed.
        slots.acquire_owned().await.ok()
    }

    /// Returns the limits of a run, none of them above that of the host.
    fn bounded(&self, limits: &Limits) -> Limits {
        let limits = limits.bounded();
        self.0.max_limits.as_ref().map_or(limits, |most| limits.at_most(most))
    }

    /// Whether scripts can use a namespace.
    fn offers(&self, namespace: Namespace) -> bool {
        namespace.is_built_in() && !self.0.without.contains(&namespace)
    }

    fn ticker(&self) -> &Ticker {
        &self.0.ticker
    }

    /// The pools of connections to external systems, and the tasks that clean up or write the console.
    fn connections(&self) -> &Arc<Connections> {
        &self.0.connections
    }

    /// The functions that the embedder added to `g`.
    fn functions(&self) -> &Arc<functions::Table> {
        &self.0.functions
    }

    /// Returns the type declarations of `g` (`g.d.ts`), with those of the [functions](crate::functions) of the host.
    pub fn declarations(&self) -> String {
        self.0.functions.declarations()
    }

    /// Waits for at most one second until the remote resources of dropped runs are cleaned up, and the console output of these
    /// runs is written. For a program that ends after it dropped a run.
    pub async fn finish_cleanup(&self) {
        self.0.connections.finish_cleanup().await;
    }

    /// Compiles a component. Returns `None` if compiling would take more than this many bytes of memory.
    fn compile_component(&self, bytes: &[u8], memory: u64) -> wasmtime::Result<Option<Component>> {
        compiler::compile(&self.0.engine, bytes, memory)
    }

    /// Links a component to a world. The error states which import or export does not match.
    fn link(&self, component: &Component, world: World) -> wasmtime::Result<ScriptPre<State>> {
        self.world(world)?.link(component)
    }
}
