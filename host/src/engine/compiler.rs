//! Compiling components, within the memory of a run.
//!
//! The compiler can neither be stopped nor bounded, and a few kilobytes can make it take gigabytes. So its memory is
//! estimated from those constructs of the component that determine it. The estimate is for hostile code; a component from an
//! ordinary toolchain takes less.
//!
//! `unsafe` is used to make the allocator return the compiler's freed memory to the system.
#![allow(unsafe_code, reason = "the allocator is asked to give memory back")]

use std::thread;

use wasmparser::{BlockType, FunctionBody, Operator, Parser, Payload, TypeRef};
use wasmtime::{Engine, component::Component};

/// At most how many functions are compiled at a time: each takes memory.
const THREADS: usize = 4;

/// Bytes that stay allocated until the whole component is compiled, for each function, trampoline and the like: measured,
/// 5.8 KiB.
const FUNCTION: u64 = 6 << 10;
/// The same for each byte of code: measured, 8 to 11 bytes.
const CODE_BYTE: u64 = 12;
/// Bytes while a function is compiled, for each byte of it: measured, 40 to 270 bytes, which include what the constants
/// below add separately.
const BODY_BYTE: u64 = 256;
/// For each value that a call passes: measured, 550 bytes.
const PASSED_VALUE: u64 = 600;
/// For each value that a jump passes: measured, 6 bytes.
const JUMP_VALUE: u64 = 16;
/// For each variable that is used in a loop: measured, 1 to 1.3 KiB.
const LOOP_VARIABLE: u64 = 1_300;
/// For each pair of a variable and a block of a function, in case every variable lives through every block: measured, 8 bytes.
const LIVE_VARIABLE: u64 = 8;

/// Compiles a component; `None` if that may take more than `memory` bytes.
pub(crate) fn compile(engine: &Engine, bytes: &[u8], memory: u64) -> wasmtime::Result<Option<Component>> {
    within(bytes, memory, || Component::new(engine, bytes))
}

/// Compiles a component to native code; `None` if that may take more than `memory` bytes.
pub(crate) fn precompile(engine: &Engine, bytes: &[u8], memory: u64) -> wasmtime::Result<Option<Vec<u8>>> {
    within(bytes, memory, || engine.precompile_component(bytes))
}

fn within<T: Send>(
    bytes: &[u8],
    memory: u64,
    compile: impl FnOnce() -> wasmtime::Result<T> + Send,
) -> wasmtime::Result<Option<T>> {
    if estimate(bytes) > memory {
        return Ok(None);
    }
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(THREADS));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let compiled = pool.install(compile);
    drop(pool);
    return_freed_memory();
    compiled.map(Some)
}

/// Returns freed memory to the system. The allocator would otherwise keep what the compiler used, and the process would hold
/// that in addition to the script's memory.
fn return_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, on any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Estimates the memory that compiling takes, in bytes, up to the first part that can't be read: compiling fails there.
fn estimate(component: &[u8]) -> u64 {
    let mut estimate = Estimate::default();
    for payload in Parser::new(0).parse_all(component) {
        let taken = payload.and_then(|payload| estimate.take(payload));
        if taken.is_err() {
            break;
        }
    }
    estimate.bodies.sort_unstable();
    let largest: u64 = estimate.bodies.iter().rev().take(THREADS).fold(0, |sum, body| sum.saturating_add(*body));
    estimate.kept.saturating_add(largest)
}

#[derive(Default)]
struct Estimate {
    /// What is kept until all is compiled.
    kept: u64,
    /// What each function takes while it is compiled.
    bodies: Vec<u64>,
    /// Of the current module: for each type, the number of parameters and results (0 if it is not the type of a function).
    types: Vec<u64>,
    /// Of the current module: the index of each function's type.
    functions: Vec<u32>,
}

impl Estimate {
    fn take(&mut self, payload: Payload<'_>) -> wasmparser::Result<()> {
        match payload {
            Payload::Version { .. } => (self.types, self.functions) = Default::default(),
            Payload::TypeSection(types) => {
                for group in types {
                    for kind in group?.types() {
                        let passes = |kind: &wasmparser::FuncType| kind.params().len() + kind.results().len();
                        self.types.push(match &kind.composite_type.inner {
                            wasmparser::CompositeInnerType::Func(kind) => passes(kind) as u64,
                            _ => 0,
                        });
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if let TypeRef::Func(kind) | TypeRef::FuncExact(kind) = import?.ty {
                        self.functions.push(kind);
                    }
                }
            }
            Payload::FunctionSection(functions) => {
                for kind in functions {
                    self.functions.push(kind?);
                }
            }
            Payload::ExportSection(exports) => self.keep(exports.count()),
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.keep(match element?.items {
                        wasmparser::ElementItems::Functions(items) => items.count(),
                        wasmparser::ElementItems::Expressions(_, items) => items.count(),
                    });
                }
            }
            Payload::ComponentCanonicalSection(functions) => self.keep(functions.count()),
            Payload::CodeSectionEntry(body) => {
                self.keep(1);
                self.kept = self.kept.saturating_add(CODE_BYTE * body.range().len() as u64);
                let body = self.body(&body)?;
                self.bodies.push(body);
            }
            _ => {}
        }
        Ok(())
    }

    fn keep(&mut self, functions: u32) {
        self.kept = self.kept.saturating_add(FUNCTION * u64::from(functions));
    }

    /// What a function takes while it is compiled.
    fn body(&self, body: &FunctionBody<'_>) -> wasmparser::Result<u64> {
        let mut seen = Seen::default();
        for local in body.get_locals_reader()? {
            seen.variables += u64::from(local?.0);
        }
        for operator in body.get_operators_reader()? {
            self.see(&operator?, &mut seen);
        }
        let counted = [
            (BODY_BYTE, body.range().len() as u64),
            (PASSED_VALUE, seen.passed),
            (JUMP_VALUE, seen.jumps.saturating_mul(seen.widest)),
            (LOOP_VARIABLE, seen.in_loops),
            (LIVE_VARIABLE, seen.variables.saturating_mul(seen.blocks)),
        ];
        Ok(counted.iter().fold(0, |sum, (cost, count)| sum.saturating_add(cost.saturating_mul(*count))))
    }

    fn see(&self, operator: &Operator<'_>, seen: &mut Seen) {
        let passes = |kind: u32| self.types.get(kind as usize).copied().unwrap_or_default();
        let passed_by = |function: u32| self.functions.get(function as usize).map_or(0, |kind| passes(*kind));
        match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                let is_loop = matches!(operator, Operator::Loop { .. });
                seen.open.push(is_loop.then_some(seen.uses));
                seen.blocks += 1;
                if let BlockType::FuncType(kind) = blockty {
                    seen.widest = seen.widest.max(passes(*kind));
                }
            }
            Operator::End => {
                if let Some(Some(before)) = seen.open.pop() {
                    seen.in_loops = seen.in_loops.saturating_add(seen.variables.min(seen.uses - before));
                }
            }
            Operator::LocalGet { .. } | Operator::LocalSet { .. } | Operator::LocalTee { .. } => seen.uses += 1,
            Operator::Br { .. } | Operator::BrIf { .. } | Operator::Return => seen.jumps += 1,
            Operator::BrTable { targets } => seen.jumps += u64::from(targets.len()),
            Operator::Call { function_index: at } | Operator::ReturnCall { function_index: at } => {
                seen.passed = seen.passed.saturating_add(passed_by(*at));
            }
            Operator::CallIndirect { type_index: at, .. } | Operator::ReturnCallIndirect { type_index: at, .. } => {
                seen.passed = seen.passed.saturating_add(passes(*at));
            }
            _ => {}
        }
    }
}

/// What a function is made of.
#[derive(Default)]
struct Seen {
    variables: u64,
    blocks: u64,
    /// How often variables are used.
    uses: u64,
    /// One entry per open block: for a loop, the value of `uses` when it began; `None` for any other block.
    open: Vec<Option<u64>>,
    /// At most how many variables each loop uses, summed over all loops.
    in_loops: u64,
    /// How many values calls pass.
    passed: u64,
    jumps: u64,
    /// The largest number of values that one block passes.
    widest: u64,
}
