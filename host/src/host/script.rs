//! What can run: JavaScript that was compiled, or a component of any language.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout_at},
};
use wasmtime::{Engine, component::Component};

use super::Host;
use crate::{
    Failure, Limits, Origin,
    bindings::script::ScriptPre,
    budget::Budget,
    g,
    run::{State, outcome_of},
};

/// The largest component, in bytes. Compiled, it takes several times as much.
const COMPONENT_BYTES: usize = 64 << 20;

/// A script that can run, any number of times. Clones share it. JavaScript runs on any host, a component on the one that
/// loaded it.
#[derive(Clone)]
pub struct Script(Code);

#[derive(Clone)]
enum Code {
    /// What the JavaScript engine runs.
    JavaScript(Arc<[u8]>),
    Component(Arc<Foreign>),
}

/// A component. It is linked for the local origin when it is loaded, and for the MCP origin when it first runs with
/// that.
struct Foreign {
    component: Component,
    local: Arc<ScriptPre<State>>,
    mcp: OnceLock<Result<Arc<ScriptPre<State>>, String>>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

impl Host {
    /// Loads a component in any language that matches `ghost:g`.
    ///
    /// Fails with [`Failure::NotStarted`] when the bytes are not a component, are more than 64 MiB, or import or export
    /// something else, and with [`Failure::Compiler`] when compiling the component takes more memory than the limits of
    /// a user's own script allow. Whether the origin of a run allows the imports is checked when it runs. Compiling a
    /// large component blocks the thread for seconds; [`load_within`](Self::load_within) compiles on another thread.
    pub fn load(&self, component: &[u8]) -> Result<Script, Failure> {
        self.load_in(component, Limits::of(Origin::Local).memory)
    }

    fn load_in(&self, component: &[u8], limit: u64) -> Result<Script, Failure> {
        if component.len() > COMPONENT_BYTES {
            let (size, limit) = (component.len(), COMPONENT_BYTES);
            return Err(Failure::NotStarted(format!("the component is {size} bytes, the limit is {limit}")));
        }
        let not_started = |error| Failure::NotStarted(format!("{error:#}"));
        let compiled = self.component(component, Budget::of(limit).for_call()).map_err(not_started)?;
        let component = compiled.ok_or(Failure::Compiler { limit })?;
        let local = Arc::new(self.link(&component, Origin::Local).map_err(not_started)?);
        let foreign = Foreign { component, local, mcp: OnceLock::new() };
        Ok(Script(Code::Component(Arc::new(foreign))))
    }

    /// Loads a component as [`load`](Self::load) does, but within the time and memory limits of a run, and on a thread
    /// that may block. To count the loading towards a run's time, pass the moment when it began as
    /// [`RunOptions::since`](crate::RunOptions::since).
    ///
    /// Also fails with [`Failure::Time`]. The memory is estimated before compiling; a program that executes only one
    /// run can also monitor the memory of its process. The compiler can't be stopped: after the time limit, or when the
    /// future is dropped, it continues on its thread, and its result is discarded. A program that ends does not wait
    /// for it if it shuts down its Tokio runtime with `shutdown_background`.
    pub async fn load_within(&self, component: Arc<[u8]>, limits: &Limits) -> Result<Script, Failure> {
        let (time, memory) = (limits.bounded().time, limits.memory);
        let (host, deadline) = (self.clone(), Instant::now() + time);
        match timeout_at(deadline, spawn_blocking(move || host.load_in(&component, memory))).await {
            Err(_) => Err(Failure::Time { limit: time }),
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panicked)) => Err(Failure::NotStarted(format!("the component can't be compiled: {panicked}"))),
        }
    }
}

impl Script {
    pub(super) fn javascript(bytecode: Vec<u8>) -> Self {
        Self(Code::JavaScript(bytecode.into()))
    }

    /// What the JavaScript engine runs; empty for a component.
    pub(super) fn bytecode(&self) -> Arc<[u8]> {
        match &self.0 {
            Code::JavaScript(bytecode) => Arc::clone(bytecode),
            Code::Component(_) => Arc::new([]),
        }
    }

    /// Returns what is instantiated for an origin. Fails when the origin does not allow an import of the component.
    pub(super) fn linked(&self, host: &Host, origin: Origin) -> Result<Arc<ScriptPre<State>>, Failure> {
        match (&self.0, origin) {
            (Code::JavaScript(_), origin) => match host.javascript(origin) {
                Ok(engine) => Ok(Arc::clone(&engine.runner)),
                Err(error) => Err(outcome_of::internal_error(&error)),
            },
            (Code::Component(foreign), _) if !Engine::same(foreign.component.engine(), host.engine()) => {
                Err(Failure::NotStarted("the script was loaded by another host".into()))
            }
            (Code::Component(foreign), Origin::Local) => Ok(Arc::clone(&foreign.local)),
            (Code::Component(foreign), Origin::Mcp) => {
                let linked = foreign.mcp.get_or_init(|| foreign.link_for_mcp(host));
                linked.clone().map_err(Failure::NotStarted)
            }
        }
    }
}

impl Foreign {
    fn link_for_mcp(&self, host: &Host) -> Result<Arc<ScriptPre<State>>, String> {
        match host.link(&self.component, Origin::Mcp) {
            Ok(linked) => Ok(Arc::new(linked)),
            Err(error) => Err(self.blocked(host).unwrap_or_else(|| format!("{error:#}"))),
        }
    }

    /// Returns why a component can't run with MCP origin: it imports external interfaces. `None` if it imports none.
    fn blocked(&self, host: &Host) -> Option<String> {
        let kind = self.component.component_type();
        let external = |name: &&str| {
            g::EXTERNAL.iter().any(|external| name.starts_with(&format!("ghost:g/{}@", external.interface)))
        };
        let blocked: Vec<_> = kind.imports(host.engine()).map(|(name, _)| name).filter(external).collect();
        let message = "a script of MCP origin can't use external systems: run it yourself with ghost run";
        (!blocked.is_empty()).then(|| format!("the component imports {}: {message}", blocked.join(", ")))
    }
}
