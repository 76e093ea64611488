//! What can run: JavaScript that was compiled, or a component of any language.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

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

/// A script that can run, any number of times. A clone is the same script. JavaScript runs on any host, a component on the
/// one that loaded it.
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

impl Script {
    /// Compiles JavaScript with the limits of a user's own script; see [`from_source_within`](Self::from_source_within).
    pub async fn from_source(host: &Host, name: &str, source: &str) -> Result<Self, Failure> {
        Self::from_source_within(host, name, source, &Limits::default()).await
    }

    /// Compiles JavaScript, inside the sandbox. `name` appears in stack traces. Only the time and memory limits apply. To
    /// count compilation against a run's time, pass its start as [`RunOptions::since`](crate::RunOptions::since). Dropping
    /// the future stops compilation.
    ///
    /// Fails with [`Failure::Exception`] when the source can't be parsed or defines no `main`, and with
    /// [`Failure::Time`] or [`Failure::Memory`] when that takes more than it may.
    pub async fn from_source_within(host: &Host, name: &str, source: &str, limits: &Limits) -> Result<Self, Failure> {
        let bytecode = host.compile(name, source, limits).await?;
        Ok(Self(Code::JavaScript(bytecode.into(), None)))
    }

    /// Loads a component with the limits of a user's own script; see
    /// [`from_component_within`](Self::from_component_within).
    pub async fn from_component(host: &Host, component: impl Into<Arc<[u8]>>) -> Result<Self, Failure> {
        Self::from_component_within(host, component, &Limits::default()).await
    }

    /// Loads a component, of any language, that fits a world of `ghost:g`, on a thread that may block. A
    /// [bundle](crate::bundle) that this version of ghost made is not compiled: it runs on the built-in engine. Whether the origin of a run allows the imports is
    /// checked when it runs. To count the loading towards a run's time, pass the moment when it began as
    /// [`RunOptions::since`](crate::RunOptions::since).
    ///
    /// Fails with [`Failure::NotStarted`] when the bytes are not a component, are more than 64 MiB, import what `ghost:g`
    /// does not have, or do not export `run` with the type of the worlds, with [`Failure::Compiler`] when compiling takes more memory than the limits allow, and with
    /// [`Failure::Time`]. The memory is estimated before compiling; it can't be limited within this process. The compiler
    /// can't be stopped: after the time limit, or when the future is dropped, it continues on its thread, and its result is
    /// discarded. A program that ends does not wait for it if it shuts down its Tokio runtime with `shutdown_background`.
    /// [`from_component_by`](Self::from_component_by) compiles in a process that can be killed.
    pub async fn from_component_within(
        host: &Host,
        component: impl Into<Arc<[u8]>>,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let (component, limits) = (component.into(), host.bounded(limits));
        let (host, deadline) = (host.clone(), Instant::now() + limits.time);
        match timeout_at(deadline, spawn_blocking(move || host.load(&component, limits.memory))).await {
            Err(_) => Err(Failure::Time { limit: limits.time }),
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panicked)) => Err(Failure::NotStarted(format!("the component can't be compiled: {panicked}"))),
        }
    }

    /// Loads a component as [`from_component_within`](Self::from_component_within) does, but compiles it in a process of its
    /// own, which is killed when the time is over or the future is dropped. With a cache, a component is compiled once.
    pub async fn from_component_by(
        host: &Host,
        compiler: &Compiler,
        component: &[u8],
        limits: &Limits,
    ) -> Result<Self, Failure> {
        if let Some(script) = Self::of_bundle(component) {
            return Ok(script);
        }
        check(component)?;
        let limits = host.bounded(limits);
        let compiled = timeout(limits.time, compiler.compile(host.engine(), component, limits.memory));
        let compiled = compiled.await.map_err(|_| Failure::Time { limit: limits.time })??;
        Ok(Self(Code::Component(Arc::new(Foreign::link(host, compiled)?))))
    }

    /// Loads a file with the limits of a user's own script: JavaScript in UTF-8, or a component, which is recognized by its
    /// first bytes. See [`from_source`](Self::from_source) and [`from_component`](Self::from_component).
    ///
    /// Also fails with [`Failure::NotStarted`] when the file can't be read, or is larger than 64 MiB.
    pub async fn from_file(host: &Host, path: impl AsRef<Path>) -> Result<Self, Failure> {
        let path = path.as_ref().to_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let not_read = |reason: &dyn fmt::Display| Failure::NotStarted(format!("{name}: {reason}"));
        let content = spawn_blocking(move || read(&path)).await.map_err(|error| not_read(&error))?;
        let content = content.map_err(|error| not_read(&error))?;
        if content.starts_with(bundle::MAGIC) {
            return Self::from_component(host, content).await;
        }
        let source = String::from_utf8(content).map_err(|_| not_read(&"it is neither UTF-8 text nor a component"))?;
        Self::from_source(host, &name, &source).await
    }
}

/// Reads a file that is not larger than a component may be.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (mut content, limit) = (Vec::new(), MAX_COMPONENT_BYTES as u64);
    File::open(path)?.take(limit + 1).read_to_end(&mut content)?;
    match content.len() {
        size if size <= MAX_COMPONENT_BYTES => Ok(content),
        _ => Err(io::Error::other(format!("it is larger than {limit} bytes"))),
    }
}

impl Host {
    /// Compiles a component, unless it is a bundle that runs on the built-in engine.
    fn load(&self, component: &[u8], memory: u64) -> Result<Script, Failure> {
        if let Some(script) = Script::of_bundle(component) {
            return Ok(script);
        }
        check(component)?;
        let compiled = self.compile_component(component, Budget::for_compiler(memory));
        let compiled = compiled.map_err(|error| Failure::NotStarted(format!("{error:#}")))?;
        let foreign = Foreign::link(self, compiled.ok_or(Failure::Compiler { limit: memory })?)?;
        Ok(Script(Code::Component(Arc::new(foreign))))
    }
}

/// Checks what can be seen before a component is compiled.
fn check(component: &[u8]) -> Result<(), Failure> {
    let (size, limit) = (component.len(), MAX_COMPONENT_BYTES);
    if size > limit {
        return Err(Failure::NotStarted(format!("the component is {size} bytes, the limit is {limit}")));
    }
    match bundle::problem(component) {
        Some(problem) => Err(Failure::NotStarted(problem.into())),
        None => foreign::check_imports(component),
    }
}

impl Script {
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

    /// Returns the linked component to instantiate for an origin. Fails when the origin does not allow what it imports.
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
