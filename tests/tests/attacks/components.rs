//! Components that no compiler would make.

use std::time::Duration;

use anyhow::{Context, Result};
use ghost_tests::folder::Folder;
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, Encode, ExportKind, ExportSection, Function, FunctionSection, Instruction,
    MemArg, MemorySection, MemoryType, Module, TypeSection, ValType,
};

use crate::{
    attack::{Attack, Contract, Seen},
    component,
    data::sections,
};

/// Those that stand as text, and those that are bytes.
pub fn all() -> Result<Vec<Attack>> {
    let mut attacks = Vec::new();
    for section in sections("components", "wat")? {
        attacks.push(Attack::new("components", section.name.clone(), move || {
            let folder = Folder::new();
            folder.write("attack.wasm", component::made(&section.code)?);
            section.run(&folder, "attack.wasm")
        }));
    }
    attacks.extend(bytes());
    attacks.extend(large());
    Ok(attacks)
}

const HONEST: &str = "(data (i32.const 2048) \"honest\") (func $main)";

fn run(bytes: &[u8], exits: &[i32]) -> Result<Seen> {
    let folder = Folder::new();
    folder.write("attack.wasm", bytes);
    let finished = folder.ghost(["run", "--timeout", "3s", "--max-memory", "64M", "attack.wasm"]).finish();
    Contract::exits(exits).within(Duration::from_secs(3)).with_memory(64 << 20).check(&finished)
}

fn bytes() -> Vec<Attack> {
    let of_bytes =
        |name: &'static str, make: fn() -> Vec<u8>| Attack::new("components", name, move || run(&make(), &[2]));
    vec![
        of_bytes("a file of no byte", Vec::new),
        of_bytes("a magic number and nothing more", || b"\0asm".to_vec()),
        of_bytes("a version that does not exist", || b"\0asm\xff\xff\xff\xff".to_vec()),
        of_bytes("a section that is longer than the file", || b"\0asm\x0d\0\x01\0\x01\xff\xff\xff\xff\x0f".to_vec()),
        of_bytes("JavaScript under the name of a component", || b"export const main = () => 1;".to_vec()),
        of_bytes("a program of the machine", || std::fs::read("/bin/true").unwrap_or_default()),
        of_bytes("code that was compiled ahead of time by somebody else", || {
            [b"\x7fELF\x02\x01\x01".to_vec(), vec![0xc8; 64], b"wasmtime".repeat(1000)].concat()
        }),
        Attack::new("components", "a component is cut off at forty places", || {
            let whole = component::made(HONEST)?;
            let mut seen = Seen::default();
            for part in 0..40 {
                let cut = whole.len() * part / 40;
                seen = seen.and(run(&whole[..cut], &[2]).with_context(|| format!("cut at {cut}"))?);
            }
            Ok(seen)
        }),
        Attack::new("components", "bytes of a component are turned at a hundred places", || {
            let whole = component::made(HONEST)?;
            let mut random = fastrand::Rng::with_seed(14);
            let mut seen = Seen::default();
            for _ in 0..100 {
                let mut turned = whole.clone();
                let at = random.usize(8..whole.len());
                let bits = random.u8(1..);
                turned[at] ^= bits;
                seen = seen.and(run(&turned, &[0, 1, 2, 3]).with_context(|| format!("{bits:#x} at {at}"))?);
            }
            Ok(seen)
        }),
        Attack::new("components", "a thousand components nested in each other", || {
            let mut nested = b"\0asm\x0d\0\x01\0".to_vec();
            for _ in 0..1000 {
                let mut outer = b"\0asm\x0d\0\x01\0\x04".to_vec();
                nested.encode(&mut outer);
                nested = outer;
            }
            run(&nested, &[2])
        }),
        Attack::new("components", "a type that doubles forty times", || {
            let mut text = String::from("(component (type $t0 (tuple u8 u8))");
            for n in 1..40 {
                text += &format!("(type $t{n} (tuple $t{0} $t{0}))", n - 1);
            }
            text += "(import \"run\" (func (param \"a\" $t39) (result $t39))))";
            run(&wat::parse_str(text)?, &[2])
        }),
        Attack::new("components", "ten thousand instances of a core module with a memory each", || {
            let text = format!(
                "(component (core module $m (memory (export \"memory\") 10)) {})",
                "(core instance (instantiate $m))".repeat(10_000)
            );
            run(&wat::parse_str(text)?, &[2, 3])
        }),
        Attack::new("components", "thirty thousand imports that nobody has", || {
            let imports: String = (0..30_000).map(|n| format!("(import \"a{n}\" (func))")).collect();
            run(&wat::parse_str(format!("(component {imports})"))?, &[2])
        }),
        Attack::new("components", "names of imports that a terminal obeys", || {
            run(
                &wat::parse_str(
                    "(component (import \"wasi:cli/stdout@0.2.0\" (instance (export \"x\" (func)))) (core module (import \"\\1b[2J\" \"\\e2\\80\\ae\" (func))))",
                )?,
                &[2],
            )
        }),
    ]
}

fn large() -> Vec<Attack> {
    let of_module = |name: &'static str, make: fn() -> Vec<u8>| {
        Attack::new("components", name, move || run(&component::encoded(&make())?, &[0, 1, 2, 3]))
    };
    vec![
        of_module("fifty thousand functions", || {
            module(50_000, |function, n| {
                function.instruction(&Instruction::I32Const(n as i32)).instruction(&Instruction::Drop);
            })
        }),
        of_module("one function of two million instructions", || {
            module(1, |function, _| {
                for n in 0..1_000_000 {
                    function.instruction(&Instruction::I32Const(n)).instruction(&Instruction::Drop);
                }
            })
        }),
        of_module("one function in which everything lives to the end", || {
            module(1, |function, _| {
                for n in 0..100_000 {
                    function.instruction(&Instruction::I32Const(n)).instruction(&Instruction::I32Load8U(BYTE));
                }
                for _ in 0..99_999 {
                    function.instruction(&Instruction::I32Xor);
                }
                function.instruction(&Instruction::Drop);
            })
        }),
        of_module("blocks nested fifty thousand deep", || {
            module(1, |function, _| {
                for _ in 0..50_000 {
                    function.instruction(&Instruction::Block(wasm_encoder::BlockType::Empty));
                }
                for _ in 0..50_000 {
                    function.instruction(&Instruction::End);
                }
            })
        }),
        of_module("a jump to a million places", || {
            module(1, |function, _| {
                function
                    .instruction(&Instruction::Block(wasm_encoder::BlockType::Empty))
                    .instruction(&Instruction::I32Const(5));
                function
                    .instruction(&Instruction::BrTable(vec![0; 1_000_000].into(), 0))
                    .instruction(&Instruction::End);
            })
        }),
        of_module("calls that pass a thousand values", || {
            passing(|function| {
                for _ in 0..1_000 {
                    function.instruction(&Instruction::Call(2));
                }
            })
        }),
        of_module("a hundred loops in each other that use a thousand variables", || nested(100, 1_000)),
        of_module("five thousand variables that live through five thousand blocks", || nested(0, 5_000)),
        of_module("a hundred thousand branches", || {
            module(1, |function, _| {
                for n in 0..100_000 {
                    function
                        .instruction(&Instruction::I32Const(n))
                        .instruction(&Instruction::I32Load8U(BYTE))
                        .instruction(&Instruction::If(wasm_encoder::BlockType::Empty))
                        .instruction(&Instruction::Nop)
                        .instruction(&Instruction::End);
                }
            })
        }),
        of_module("data of 48 MB", || with_data(48 << 20)),
        of_module("data of 2 MB in a hundred thousand pieces", || pieces(100_000)),
    ]
}

const BYTE: MemArg = MemArg { offset: 0, align: 0, memory_index: 0 };

/// A core module with a function that has a thousand values for those that it calls.
fn passing(calls: fn(&mut Function)) -> Vec<u8> {
    let values = [ValType::I32; 1_000];
    let mut module = Built { types: vec![(values.to_vec(), values.to_vec())], ..Built::default() };
    let mut called = Function::new([]);
    values.iter().for_each(|_| _ = called.instruction(&Instruction::I32Const(0)));
    module.function(3, called);
    let mut calling = Function::new([]);
    values.iter().for_each(|_| _ = calling.instruction(&Instruction::I32Const(0)));
    calls(&mut calling);
    values.iter().for_each(|_| _ = calling.instruction(&Instruction::Drop));
    module.function(2, calling);
    module.finish(2)
}

/// A core module with a function that has so many variables, which so many loops in each other use, or as many blocks.
fn nested(loops: u32, variables: u32) -> Vec<u8> {
    let mut function = Function::new([(variables, ValType::I32)]);
    for n in 0..variables {
        function.instruction(&Instruction::I32Const(n as i32)).instruction(&Instruction::I32Load8U(BYTE));
        function.instruction(&Instruction::LocalSet(n));
    }
    for _ in 0..loops {
        function.instruction(&Instruction::Loop(wasm_encoder::BlockType::Empty));
    }
    for n in 0..variables {
        function.instruction(&Instruction::LocalGet(n)).instruction(&Instruction::I32Load8U(BYTE));
        match loops {
            0 => {
                function.instruction(&Instruction::If(wasm_encoder::BlockType::Empty));
                function.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
            }
            _ => _ = function.instruction(&Instruction::LocalSet(n)),
        }
    }
    for _ in 0..loops {
        function.instruction(&Instruction::LocalGet(0)).instruction(&Instruction::BrIf(0));
        function.instruction(&Instruction::End);
    }
    for n in 0..variables {
        function.instruction(&Instruction::I32Const(0)).instruction(&Instruction::LocalGet(n));
        function.instruction(&Instruction::I32Store8(BYTE));
    }
    let mut module = Built::default();
    module.function(2, function);
    module.finish(2)
}

/// A core module with so many functions, and a `run` that gives nothing.
fn module(functions: u32, body: fn(&mut Function, u32)) -> Vec<u8> {
    let mut module = Built::default();
    for n in 0..functions {
        let mut function = Function::new([]);
        body(&mut function, n);
        module.function(2, function);
    }
    module.finish(2)
}

fn with_data(length: usize) -> Vec<u8> {
    let mut module = Built::default();
    module.data.active(0, &ConstExpr::i32_const(65_536), vec![7; length]);
    module.finish(1024)
}

fn pieces(count: i32) -> Vec<u8> {
    let mut module = Built::default();
    for n in 0..count {
        module.data.active(0, &ConstExpr::i32_const(65_536 + n * 20), [7; 20]);
    }
    module.finish(64)
}

/// A core module: its functions follow its `run`, which gives nothing, and its allocator.
#[derive(Default)]
struct Built {
    /// Those of functions, from 3 on; 2 takes and gives nothing.
    types: Vec<(Vec<ValType>, Vec<ValType>)>,
    functions: Vec<(u32, Function)>,
    data: DataSection,
}

impl Built {
    /// Adds a function of a type; its code has no end yet.
    fn function(&mut self, kind: u32, mut code: Function) {
        code.instruction(&Instruction::End);
        self.functions.push((kind, code));
    }

    fn finish(self, pages: u64) -> Vec<u8> {
        let (mut types, mut declared, mut exports) = (TypeSection::new(), FunctionSection::new(), ExportSection::new());
        let (mut memories, mut code) = (MemorySection::new(), CodeSection::new());
        types.ty().function([ValType::I32; 2], [ValType::I32]);
        types.ty().function([ValType::I32; 4], [ValType::I32]);
        types.ty().function([], []);
        self.types.into_iter().for_each(|(parameters, results)| types.ty().function(parameters, results));
        for (name, kind, value) in [("run", 0, 1024), ("cabi_realloc", 1, 2048)] {
            exports.export(name, ExportKind::Func, declared.len());
            declared.function(kind);
            let mut function = Function::new([]);
            function.instruction(&Instruction::I32Const(value)).instruction(&Instruction::End);
            code.function(&function);
        }
        for (kind, function) in &self.functions {
            declared.function(*kind);
            code.function(function);
        }
        let memory = MemoryType { minimum: pages, maximum: None, memory64: false, shared: false, page_size_log2: None };
        memories.memory(memory);
        exports.export("memory", ExportKind::Memory, 0);
        let mut module = Module::new();
        module.section(&types).section(&declared).section(&memories).section(&exports).section(&code);
        if !self.data.is_empty() {
            module.section(&self.data);
        }
        module.finish()
    }
}
