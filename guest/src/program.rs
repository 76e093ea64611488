//! From source to bytecode, and to the function that is called.

use javy::quickjs::{
    Ctx, Error, Function, Module, Object, Result,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
};

use crate::{
    bindings::ghost::g::{program as host, types::Failure},
    exception, memory, places, runtime,
};

/// The name under which a binding `main` that is not exported can be found.
const HIDDEN_MAIN: &str = "ghost:main";
/// What QuickJS says at the end of its stack.
const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// Compiles a module. It must define `main`: exported, as the default, or as a top-level binding.
pub fn compile(name: &str, source: &str) -> std::result::Result<Vec<u8>, Failure> {
    memory::limit(host::memory());
    places::read(source);
    let bytecode = bytecode(name, source)?;
    Ok(places::pack(&bytecode))
}

fn bytecode(name: &str, source: &str) -> std::result::Result<Vec<u8>, Failure> {
    if let Some(bytecode) = with_line(name, source, &format!("export {{ main as {HIDDEN_MAIN:?} }};"))? {
        return Ok(bytecode);
    }
    let bytecode = runtime::with(|ctx| declare(&ctx, name, source).map_err(|error| refused(&ctx, error)))?;
    // A module that has the export already can't have it once more.
    for duplicate in ["export default 0;", "let ghostMain; export { ghostMain as main };"] {
        if with_line(name, source, duplicate)?.is_none() {
            return Ok(bytecode);
        }
    }
    let message = format!("{name} does not define main, which is what is called: export function main() {{ … }}");
    Err(Failure::Exception(exception::plain(message)))
}

/// The bytecode with one line more; none when that does not compile.
fn with_line(name: &str, source: &str, line: &str) -> std::result::Result<Option<Vec<u8>>, Failure> {
    let compiled = runtime::get().compile_to_bytecode(name, &format!("{source}\n{line}")).ok();
    // Without memory there is none for the next attempt either.
    if compiled.is_none() && memory::was_used_up() { Err(Failure::OutOfMemory) } else { Ok(compiled) }
}

/// Why a source does not compile. QuickJS knows the line of the place; the column it gives is an earlier token's.
fn refused(ctx: &Ctx<'_>, error: Error) -> Failure {
    let mut exception = exception::of_error(ctx, error);
    exception.stack.iter_mut().for_each(|frame| frame.column = None);
    if memory::was_used_up() {
        return Failure::OutOfMemory;
    }
    if exception.name.as_deref() == Some("RangeError") && exception.message == STACK_OVERFLOW {
        exception.name = Some("SyntaxError".to_owned());
        exception.message = "the source is nested too deep to be compiled".to_owned();
    }
    Failure::Exception(exception)
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
