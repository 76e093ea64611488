//! What can run: JavaScript that was compiled, or a component of any language.

use std::{fmt, sync::Arc};

use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout, timeout_at},
};

use super::{
    Host,
    foreign::{self, Foreign},
};
use crate::{
    Error, Failure, Limits, Origin,
    bindings::script::ScriptPre,
    budget::Budget,
    bundle::{self, World},
    compilation::{Compiler, MAX_COMPONENT_BYTES},
    run::{State, outcome_of},
};

/// A script that can run, any number of times. Clones share it. JavaScript runs on any host, a component on the one that
/// loaded it.
#[derive(Clone)]
pub struct Script(Code);

#[derive(Clone)]
enum Code {
    /// What the JavaScript engine runs, and the world if it comes from a bundle.
    JavaScript(Arc<[u8]>, Option<World>),
    Component(Arc<Foreign>),
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

impl Host {
    /// Loads a component in any language that matches `ghost:g`. A [bundle](crate::bundle) with the engine of this host is
    /// not compiled: it runs on the built-in engine.
    ///
    /// Fails with [`Failure::NotStarted`] when the bytes are not a component, are more than 64 MiB, or import or export
    /// something else, and with [`Failure::Compiler`] when compiling the component takes more memory than the limits of
    /// a user's own script allow. Whether the origin of a run allows the imports is checked when it runs. Compiling a
    /// large component blocks the thread for seconds; [`load_within`](Self::load_within) compiles on another thread.
    pub fn load(&self, component: &[u8]) -> Result<Script, Failure> {
        self.load_in(component, Limits::of(Origin::Local).memory)
    }

    fn load_in(&self, component: &[u8], limit: u64) -> Result<Script, Failure> {
        if let Some(script) = Script::of_bundle(component) {
            return Ok(script);
        }
        check(component)?;
        let compiled = self.component(component, Budget::of(limit).for_call());
        let compiled = compiled.map_err(|error| Failure::NotStarted(format!("{error:#}")))?;
        let foreign = Foreign::link(self, compiled.ok_or(Failure::Compiler { limit })?)?;
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
        if let Some(script) = Script::of_bundle(&component) {
            return Ok(script);
        }
        let (time, memory) = (limits.bounded().time, limits.memory);
        let (host, deadline) = (self.clone(), Instant::now() + time);
        match timeout_at(deadline, spawn_blocking(move || host.load_in(&component, memory))).await {
            Err(_) => Err(Failure::Time { limit: time }),
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panicked)) => Err(Failure::NotStarted(format!("the component can't be compiled: {panicked}"))),
        }
    }

    /// Loads a component as [`load_within`](Self::load_within) does, but compiles it in a process of its own, which is
    /// killed when the time is over or the future is dropped. With a cache, a component is compiled once.
    pub async fn load_by(&self, compiler: &Compiler, component: &[u8], limits: &Limits) -> Result<Script, Failure> {
        if let Some(script) = Script::of_bundle(component) {
            return Ok(script);
        }
        check(component)?;
        let (time, memory) = (limits.bounded().time, limits.memory);
        let compiled = timeout(time, compiler.compile(self.engine(), component, memory));
        let compiled = compiled.await.map_err(|_| Failure::Time { limit: time })??;
        Ok(Script(Code::Component(Arc::new(Foreign::link(self, compiled)?))))
    }
}

/// Checks what can be seen before a component is compiled.
fn check(component: &[u8]) -> Result<(), Failure> {
    let (size, limit) = (component.len(), MAX_COMPONENT_BYTES);
    if size > limit {
        return Err(Failure::NotStarted(format!("the component is {size} bytes, the limit is {limit}")));
    }
    foreign::check_imports(component)
}

impl Script {
    pub(super) fn javascript(bytecode: Vec<u8>) -> Self {
        Self(Code::JavaScript(bytecode.into(), None))
    }

    /// The script of a bundle that the built-in engine can run.
    fn of_bundle(component: &[u8]) -> Option<Self> {
        let (world, bytecode) = bundle::recognize(component)?;
        Some(Self(Code::JavaScript(bytecode.into(), Some(world))))
    }

    /// Makes a [bundle](crate::bundle) of a script that was compiled from JavaScript: a component that contains the script and
    /// the engine, and runs wherever the interfaces of its world are.
    ///
    /// Fails with `invalid-argument` when the script was loaded from a component.
    pub fn to_bundle(&self, options: &bundle::Options<'_>) -> Result<Vec<u8>, Error> {
        match &self.0 {
            Code::JavaScript(bytecode, _) => Ok(bundle::make(bytecode, options)),
            Code::Component(_) => Err(Error::invalid("the script is a component already")),
        }
    }

    /// Checks whether the script may run with an origin. Fails with [`Failure::NotStarted`] when it imports what the origin
    /// does not allow.
    pub fn check_origin(&self, host: &Host, origin: Origin) -> Result<(), Failure> {
        self.linked(host, origin).map(drop)
    }

    /// What the JavaScript engine runs; empty for a component.
    pub(super) fn bytecode(&self) -> Arc<[u8]> {
        match &self.0 {
            Code::JavaScript(bytecode, _) => Arc::clone(bytecode),
            Code::Component(_) => Arc::new([]),
        }
    }

    /// Returns what is instantiated for an origin. Fails when the origin does not allow what a component imports.
    pub(super) fn linked(&self, host: &Host, origin: Origin) -> Result<Arc<ScriptPre<State>>, Failure> {
        match &self.0 {
            Code::JavaScript(_, Some(World::Script)) if origin == Origin::Mcp => {
                Err(foreign::blocked(&foreign::external()))
            }
            Code::JavaScript(_, world) => match host.javascript(world.unwrap_or(World::of(origin))) {
                Ok(engine) => Ok(Arc::clone(&engine.runner)),
                Err(error) => Err(outcome_of::internal_error(&error)),
            },
            Code::Component(component) => component.linked(host, origin),
        }
    }
}
