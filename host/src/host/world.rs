//! What a script of an origin can reach: the linker, and the engine that fits it.

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
    g,
    run::State,
};

/// A world of `world.wit`. It is set up at the first script that needs it.
pub(super) struct LinkedWorld {
    /// Links components of other languages. A clone of it, which also has the interface `program`, links the built-in
    /// engine.
    linker: Linker<State>,
    built_in: &'static BuiltIn,
    javascript: OnceLock<JavaScript>,
}

/// The built-in engine, linked for compiling and for running.
#[derive(Clone)]
pub(super) struct JavaScript {
    pub(super) compiler: Arc<EnginePre<State>>,
    pub(super) runner: Arc<ScriptPre<State>>,
}

impl LinkedWorld {
    /// Links a world. `local-script` has no external interfaces, so a component that imports one can't be instantiated.
    pub(super) fn of(world: World, engine: &Engine) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(engine);
        wasi::add_to_linker(&mut linker)?;
        ghost::g::console::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        ghost::g::runtime::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        ghost::g::functions::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        g::link_local(&mut linker)?;
        let built_in = match world {
            World::Script => {
                g::link_external(&mut linker)?;
                &built_in::SCRIPT
            }
            World::LocalScript => &built_in::LOCAL_SCRIPT,
        };
        Ok(Self { linker, built_in, javascript: OnceLock::new() })
    }

    /// Returns the engine, which is loaded at the first call.
    pub(super) fn javascript(&self, engine: &Engine) -> wasmtime::Result<&JavaScript> {
        if let Some(loaded) = self.javascript.get() {
            return Ok(loaded);
        }
        let mut linker = self.linker.clone();
        ghost::g::program::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        let linked = linker.instantiate_pre(&self.built_in.load(engine)?)?;
        let compiler = Arc::new(EnginePre::new(linked.clone())?);
        let runner = Arc::new(ScriptPre::new(linked)?);
        Ok(self.javascript.get_or_init(|| JavaScript { compiler, runner }))
    }

    /// Links a component. The error states which import or export does not match.
    pub(super) fn link(&self, component: &Component) -> wasmtime::Result<ScriptPre<State>> {
        ScriptPre::new(self.linker.instantiate_pre(component)?)
    }
}
