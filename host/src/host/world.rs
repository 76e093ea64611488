//! What a script of a world can reach: the linker, and the built-in engine of the world.

use std::sync::{Arc, OnceLock};

use wasmtime::{
    Engine,
    component::{Component, HasSelf, Linker},
};

use crate::{
    bindings::{EnginePre, ghost, script::ScriptPre},
    bundle::World,
    engine::{
        built_in::{self, BuiltIn},
        wasi,
    },
    g::{self, Namespace, stand_in},
    run::State,
};

/// A world of `world.wit`. It is set up at the first script that needs it.
pub(super) struct LinkedWorld {
    /// Links components of other languages. A clone of it, which also has the interface `program`, links the built-in
    /// engine.
    linker: Linker<State>,
    built_in: &'static BuiltIn,
    /// The component of the built-in engine, once it is loaded.
    engine_component: OnceLock<Component>,
    javascript: OnceLock<JavaScript>,
}

/// The built-in engine, linked for compiling and for running.
#[derive(Clone)]
pub(super) struct JavaScript {
    pub(super) compiler: Arc<EnginePre<State>>,
    pub(super) runner: Arc<ScriptPre<State>>,
}

impl LinkedWorld {
    /// Links a world. `local-script` has no external interfaces, so a component that imports one can't be instantiated. The
    /// namespaces that the host does not offer get stand-ins.
    pub(super) fn of(world: World, engine: &Engine, is_offered: impl Fn(Namespace) -> bool) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(engine);
        wasi::add_to_linker(&mut linker)?;
        ghost::g::console::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        ghost::g::runtime::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        ghost::g::functions::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        let (built_in, has_external) = match world {
            World::Script => (&built_in::SCRIPT, true),
            World::LocalScript => (&built_in::LOCAL_SCRIPT, false),
        };
        let mut not_offered = Vec::new();
        for &namespace in Namespace::ALL.iter().filter(|namespace| has_external || !namespace.is_external()) {
            match g::linker_of(namespace) {
                Some(link) if is_offered(namespace) => link(&mut linker)?,
                _ => not_offered.push(namespace),
            }
        }
        let linked = Self { linker, built_in, engine_component: OnceLock::new(), javascript: OnceLock::new() };
        if not_offered.is_empty() { Ok(linked) } else { linked.with_stand_ins(engine, &not_offered) }
    }

    fn with_stand_ins(mut self, engine: &Engine, not_offered: &[Namespace]) -> wasmtime::Result<Self> {
        let component = self.engine_component(engine)?.clone();
        stand_in::link(&mut self.linker, &component, not_offered)?;
        Ok(self)
    }

    /// Returns the component of the built-in engine.
    fn engine_component(&self, engine: &Engine) -> wasmtime::Result<&Component> {
        if let Some(loaded) = self.engine_component.get() {
            return Ok(loaded);
        }
        let loaded = self.built_in.load(engine)?;
        Ok(self.engine_component.get_or_init(|| loaded))
    }

    /// Returns the built-in engine, which is loaded and linked at the first call.
    pub(super) fn javascript(&self, engine: &Engine) -> wasmtime::Result<&JavaScript> {
        if let Some(loaded) = self.javascript.get() {
            return Ok(loaded);
        }
        let mut linker = self.linker.clone();
        ghost::g::program::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        let linked = linker.instantiate_pre(self.engine_component(engine)?)?;
        let compiler = Arc::new(EnginePre::new(linked.clone())?);
        let runner = Arc::new(ScriptPre::new(linked)?);
        Ok(self.javascript.get_or_init(|| JavaScript { compiler, runner }))
    }

    /// Links a component. The error states which import or export does not match.
    pub(super) fn link(&self, component: &Component) -> wasmtime::Result<ScriptPre<State>> {
        ScriptPre::new(self.linker.instantiate_pre(component)?)
    }
}
