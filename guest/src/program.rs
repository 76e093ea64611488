//! Compiles a script to bytecode, and finds its entry function.

use std::{ffi::CString, slice};

use javy::quickjs::{
    Ctx, Error, Function, Module, Object, Result,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
    qjs,
};

use crate::{
    bindings::ghost::g::{runtime as host, types::Failure},
    columns, exception,
    glue::json::checked,
    memory, runtime,
};

#[cfg(test)]
mod tests;

/// The export name that is given to a top-level binding `main` that is not exported.
const HIDDEN_MAIN: &str = "ghost:main";
/// QuickJS's message for a stack overflow.
const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// Compiles a module. It must define `main`: as an export, as the default export, or as a top-level binding.
pub fn compile(name: &str, source: &str) -> std::result::Result<Vec<u8>, Failure> {
    memory::limit(host::memory());
    columns::read(source);
    let bytecode = bytecode(name, source)?;
    Ok(columns::pack(&bytecode))
}

fn bytecode(name: &str, source: &str) -> std::result::Result<Vec<u8>, Failure> {
    if let Some(bytecode) = with_line(name, source, &format!("export {{ main as {HIDDEN_MAIN:?} }};"))? {
        return Ok(bytecode);
    }
    let bytecode = runtime::with(|ctx| declare(&ctx, name, source).map_err(|error| refused(&ctx, error)))?;
    // Adding an export that the module already has fails, which shows that it has it.
    for duplicate in ["export default 0;", "let ghostMain; export { ghostMain as main };"] {
        if with_line(name, source, duplicate)?.is_none() {
            return Ok(bytecode);
        }
    }
    let message = format!("{name} does not define main; export a function: export function main() {{ … }}");
    Err(Failure::Exception(exception::plain(message)))
}

/// Returns the bytecode of the source and an additional line; none if it does not compile.
fn with_line(name: &str, source: &str, line: &str) -> std::result::Result<Option<Vec<u8>>, Failure> {
    let source = format!("{source}\n{line}");
    let compiled = runtime::with(|ctx| declare(&ctx, name, &source).inspect_err(|_| drop(ctx.catch())).ok());
    // After a failed allocation, another attempt would fail too.
    if compiled.is_none() && memory::was_used_up() { Err(Failure::OutOfMemory) } else { Ok(compiled) }
}

/// Returns the error of a source that does not compile. The column is removed, because QuickJS reports that of an
/// earlier token.
fn refused(ctx: &Ctx<'_>, error: Error) -> Failure {
    let mut exception = exception::of_error(ctx, error);
    exception.stack.iter_mut().for_each(|frame| frame.column = None);
    if memory::was_used_up() {
        return Failure::OutOfMemory;
    }
    if exception.name.as_deref() == Some("RangeError") && exception.message == STACK_OVERFLOW {
        exception.name = Some("SyntaxError".to_owned());
        exception.message = "the source is nested too deeply to be compiled".to_owned();
    }
    Failure::Exception(exception)
}

/// Compiles a module, without its source. rquickjs would reject a NUL, which strings and comments may contain.
fn declare(ctx: &Ctx<'_>, name: &str, source: &str) -> Result<Vec<u8>> {
    let name = CString::new(name)?;
    let compile = qjs::JS_EVAL_TYPE_MODULE | qjs::JS_EVAL_FLAG_STRICT | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let write = qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE;
    let terminated = [source.as_bytes(), b"\0"].concat();
    let ctx = ctx.as_raw().as_ptr();
    // SAFETY: the source ends with a NUL after its length, and the name is terminated. QuickJS keeps neither. The context owns
    // the module. The bytecode has the length that QuickJS states until it is freed.
    unsafe {
        let text = terminated.as_ptr().cast();
        let module = checked(qjs::JS_Eval(ctx, text, source.len() as _, name.as_ptr(), compile as _))?;
        let mut length = 0;
        let written = qjs::JS_WriteObject(ctx, &mut length, module, write as _);
        if written.is_null() {
            return Err(Error::Exception);
        }
        let bytecode = slice::from_raw_parts(written, length as usize).to_vec();
        qjs::js_free(ctx, written.cast());
        Ok(bytecode)
    }
}

/// Returns the entry function that a module exports.
pub fn entry<'js>(exports: &Object<'js>) -> Option<Function<'js>> {
    ["main", "default", HIDDEN_MAIN].into_iter().find_map(|name| exports.get(name).ok())
}

/// Loads bytecode that `compile` returned.
pub fn load<'js>(ctx: &Ctx<'js>, bytecode: &[u8]) -> Result<Module<'js, Declared>> {
    let bytecode = columns::unpack(bytecode).ok_or(Error::Unknown)?;
    // SAFETY: QuickJS trusts bytecode. `compile` of this engine created it; changed bytecode could only affect the
    // sandbox, which the host does not trust.
    unsafe { Module::load(ctx.clone(), bytecode) }
}

/// Rejects every import.
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
