//! Components that no compiler would produce from a script.

use std::collections::HashMap;

use anyhow::Result;
use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function as Body, FunctionSection, ImportSection,
    InstructionSink, MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{
    PackageId, Resolve, WorldId, WorldItem,
    abi::{AbiVariant, WasmSignature, WasmType},
};

use crate::program::repository;

/// The WIT of ghost.
///
/// # Panics
///
/// When it is malformed.
pub fn wit() -> (Resolve, PackageId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(repository().join("wit")).expect("the WIT is well-formed");
    (resolve, package)
}

/// A world of it.
///
/// # Panics
///
/// When there is none of that name.
pub fn world(resolve: &Resolve, package: PackageId, name: &str) -> WorldId {
    resolve.select_world(&[package], Some(name)).expect("the WIT has the world")
}

/// The component that a core module becomes which was built for a world; a component stays what it is.
///
/// # Errors
///
/// When the module imports something else than the world does.
pub fn of_module(bytes: Vec<u8>) -> Result<Vec<u8>> {
    if !bytes.starts_with(&Module::HEADER) {
        return Ok(bytes);
    }
    ComponentEncoder::default().validate(true).module(&bytes)?.encode()
}

/// Code that does nothing but trap.
pub fn trapping() -> Body {
    let mut body = Body::new([]);
    body.instructions().unreachable().end();
    body
}

/// The parts of a component.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'p> {
    /// Packages of WIT besides ghost's own.
    pub packages: &'p [&'p str],
    /// The interfaces that it imports, with their packages and versions.
    pub imports: &'p [&'p str],
    /// How much memory it has, in pages of 64 KiB.
    pub pages: u64,
    /// The local variables of its code, numbered from 2.
    pub locals: &'p [(u32, ValType)],
}

/// The functions that a component imports by their names, `ghost:g/store@0.1.0#put`.
pub type Imports = HashMap<String, u32>;

/// A component whose `run` is this code, which runs forever, traps, or returns the address of a result.
///
/// # Panics
///
/// When the WIT of its parts is malformed, or the code does not fit.
pub fn component(parts: &Parts<'_>, code: impl Fn(&mut InstructionSink<'_>, &Imports)) -> Vec<u8> {
    let (mut resolve, _) = wit();
    for (number, package) in parts.packages.iter().enumerate() {
        resolve.push_str(format!("package-{number}.wit"), package).expect("the WIT of the test is well-formed");
    }
    let imports: String = parts.imports.iter().map(|name| format!("import {name}; ")).collect();
    let text = format!(
        "package test:hostile; world probe {{ {imports} use ghost:g/types@0.1.0.{{json, failure}};
         export run: async func(arguments: list<json>) -> result<option<json>, failure>; }}"
    );
    built(resolve, &text, parts.pages, |names| {
        let mut body = Body::new(parts.locals.iter().copied());
        code(&mut body.instructions(), names);
        body.instructions().unreachable().end();
        body
    })
}

/// A component of the world `probe` in a text of WIT: its `run` is this code. What it imports are the first functions, `run`
/// is the next, and it has a page of memory.
///
/// # Panics
///
/// When the text is malformed, or the code does not fit.
pub fn made(resolve: Resolve, text: &str, run: &Body) -> Vec<u8> {
    built(resolve, text, 1, |_| run.clone())
}

fn built(mut resolve: Resolve, text: &str, pages: u64, run: impl Fn(&Imports) -> Body) -> Vec<u8> {
    let package = resolve.push_str("probe.wit", text).expect("the WIT of the test is well-formed");
    let world = world(&resolve, package, "probe");
    let mut module = module(&resolve, world, pages, run);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the world fits the module");
    ComponentEncoder::default().validate(true).module(&module).and_then(|mut one| one.encode()).expect("a component")
}

/// A core module that imports all functions of a world, and exports code for those that it exports.
fn module(resolve: &Resolve, world: WorldId, pages: u64, run: impl Fn(&Imports) -> Body) -> Vec<u8> {
    let (mut types, mut imports, mut functions) = (TypeSection::new(), ImportSection::new(), FunctionSection::new());
    let (mut exports, mut code, mut memories) = (ExportSection::new(), CodeSection::new(), MemorySection::new());
    let mut names = Imports::new();
    for (key, item) in &resolve.worlds[world].imports {
        let WorldItem::Interface { id, .. } = item else { continue };
        for function in resolve.interfaces[*id].functions.values() {
            let index = add_type(&mut types, &resolve.wasm_signature(AbiVariant::GuestImport, function));
            let interface = resolve.name_world_key(key);
            names.insert(format!("{interface}#{}", function.name), imports.len());
            imports.import(&interface, &function.name, EntityType::Function(index));
        }
    }
    for item in resolve.worlds[world].exports.values() {
        let WorldItem::Function(function) = item else { panic!("a script exports functions") };
        let index = add_type(&mut types, &resolve.wasm_signature(AbiVariant::GuestExport, function));
        exports.export(&function.name, ExportKind::Func, imports.len() + functions.len());
        functions.function(index);
        code.function(&run(&names));
    }
    // Every allocation returns the start of its memory.
    let allocate = types.len();
    types.ty().function([ValType::I32; 4], [ValType::I32]);
    exports.export("cabi_realloc", ExportKind::Func, imports.len() + functions.len());
    functions.function(allocate);
    let mut at_the_start = Body::new([]);
    at_the_start.instructions().i32_const(0).end();
    code.function(&at_the_start);
    memories.memory(MemoryType { minimum: pages, maximum: None, memory64: false, shared: false, page_size_log2: None });
    exports.export("memory", ExportKind::Memory, 0);
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&memories).section(&exports).section(&code);
    module.finish()
}

/// Adds the type of a function, and returns its index.
fn add_type(types: &mut TypeSection, signature: &WasmSignature) -> u32 {
    let core = |types: &[WasmType]| {
        let core = |one: &WasmType| match one {
            WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
            WasmType::F32 => ValType::F32,
            WasmType::F64 => ValType::F64,
            WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        };
        types.iter().map(core).collect::<Vec<_>>()
    };
    let index = types.len();
    types.ty().function(core(&signature.params), core(&signature.results));
    index
}
