//! From source to bytecode, and to the function that is called.

use javy::quickjs::{
    Ctx, Error, Function, Module, Object, Result,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
};

use crate::{bindings::ghost::g::types::Exception, exception, places, runtime};

/// The name under which a binding `main` that is not exported can be found.
const HIDDEN_MAIN: &str = "ghost:main";

/// Compiles a module. It must define `main`: exported, as the default, or as a top-level binding.
pub fn compile(name: &str, source: &str) -> std::result::Result<Vec<u8>, Exception> {
    places::read(source);
    let compiles = |appended: &str| runtime::get().compile_to_bytecode(name, &format!("{source}\n{appended}")).ok();
    if let Some(bytecode) = compiles(&format!("export {{ main as {HIDDEN_MAIN:?} }};")) {
        return Ok(places::pack(&bytecode));
    }
    let bytecode = runtime::with(|ctx| declare(&ctx, name, source).map_err(|error| refused(&ctx, error)))?;
    // A module that has the export already can't have it once more.
    let exports = |duplicate: &str| compiles(duplicate).is_none();
    if exports("export default 0;") || exports("let ghostMain; export { ghostMain as main };") {
        return Ok(places::pack(&bytecode));
    }
    Err(exception::plain(format!(
        "{name} does not define main, which is what is called: export function main() {{ … }}"
    )))
}

/// Why a source does not parse. QuickJS knows the line of the place; the column it gives is an earlier token's.
fn refused(ctx: &Ctx<'_>, error: Error) -> Exception {
    let mut exception = exception::of_error(ctx, error);
    exception.stack.iter_mut().for_each(|frame| frame.column = None);
    exception
}

fn declare(ctx: &Ctx<'_>, name: &str, source: &str) -> Result<Vec<u8>> {
    Module::declare(ctx.clone(), name, source)?.write(Default::default())
}

/// The function that a module exports as its entry.
pub fn entry<'js>(exports: &Object<'js>) -> Option<Function<'js>> {
    ["main", "default", HIDDEN_MAIN].into_iter().find_map(|name| exports.get(name).ok())
}

/// Loads what `compile` made.
pub fn load<'js>(ctx: &Ctx<'js>, bytecode: &[u8]) -> Result<Module<'js, Declared>> {
    let bytecode = places::unpack(bytecode).ok_or(Error::Unknown)?;
    // SAFETY: QuickJS trusts bytecode. This was made by `compile` in this very engine; if somebody changed it, the damage
    // ends at the sandbox, which trusts nothing here.
    unsafe { Module::load(ctx.clone(), bytecode) }
}

/// Refuses every import.
pub struct NoOtherFiles;

impl Resolver for NoOtherFiles {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        let message = format!("import of {name:?} is not supported: a script is one file");
        Err(javy::quickjs::Exception::throw_type(ctx, &message))
    }
}

impl Loader for NoOtherFiles {
    fn load<'js>(
        &mut self,
        _: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        Err(Error::new_loading(name))
    }
}
