//! Components that no compiler makes.

use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function as Body, FunctionSection, ImportSection,
    MemorySection, MemoryType, Module, TypeSection, ValType,
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

/// Code that does nothing but trap.
pub fn trapping() -> Body {
    let mut body = Body::new([]);
    body.instructions().unreachable().end();
    body
}

/// A component of the world `probe` in a text of WIT, made by hand: its `run` is this code. What it imports are the first
/// functions, `run` is the next, and it has a page of memory.
///
/// # Panics
///
/// When the text is malformed, or the code does not fit.
pub fn made(mut resolve: Resolve, text: &str, run: &Body) -> Vec<u8> {
    let package = resolve.push_str("probe.wit", text).expect("the WIT of the test is well-formed");
    let world = world(&resolve, package, "probe");
    let mut module = module(&resolve, world, run);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the world fits the module");
    ComponentEncoder::default().validate(true).module(&module).and_then(|mut one| one.encode()).expect("a component")
}

/// A core module that imports all functions of a world and exports code for those that it exports.
fn module(resolve: &Resolve, world: WorldId, run: &Body) -> Vec<u8> {
    let (mut types, mut imports, mut functions) = (TypeSection::new(), ImportSection::new(), FunctionSection::new());
    let (mut exports, mut code, mut memories) = (ExportSection::new(), CodeSection::new(), MemorySection::new());
    for (key, item) in &resolve.worlds[world].imports {
        let WorldItem::Interface { id, .. } = item else { continue };
        for function in resolve.interfaces[*id].functions.values() {
            let index = add(&mut types, &resolve.wasm_signature(AbiVariant::GuestImport, function));
            imports.import(&resolve.name_world_key(key), &function.name, EntityType::Function(index));
        }
    }
    for item in resolve.worlds[world].exports.values() {
        let WorldItem::Function(function) = item else { panic!("a script exports functions") };
        let index = add(&mut types, &resolve.wasm_signature(AbiVariant::GuestExport, function));
        exports.export(&function.name, ExportKind::Func, imports.len() + functions.len());
        functions.function(index);
        code.function(run);
    }
    let allocate = types.len();
    types.ty().function([ValType::I32; 4], [ValType::I32]);
    exports.export("cabi_realloc", ExportKind::Func, imports.len() + functions.len());
    functions.function(allocate);
    // Whatever it is given lies at the start of its memory.
    let mut at_the_start = Body::new([]);
    at_the_start.instructions().i32_const(0).end();
    code.function(&at_the_start);
    memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
    exports.export("memory", ExportKind::Memory, 0);
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&memories).section(&exports).section(&code);
    module.finish()
}

fn add(types: &mut TypeSection, signature: &WasmSignature) -> u32 {
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
