//! Hostile components.

use ghost_tests::component::{Imports, Parts, component};
use wasm_encoder::{BlockType, InstructionSink, MemArg, ValType};

use super::{Kind, MANY_DOCUMENTS};

fn binary(name: &'static str, parts: &Parts<'_>, code: impl Fn(&mut InstructionSink<'_>, &Imports)) -> Kind {
    Kind { name, file: "hostile.wasm", code: component(parts, code), before: "" }
}

const WASI: &str = "package wasi:io@0.2.6; interface error { resource error; } interface streams { use error.{error};
    variant stream-error { last-operation-failed(error), closed }
    resource output-stream { write: func(contents: list<u8>) -> result<_, stream-error>; } }";
const WASI_CLI: &str = "package wasi:cli@0.2.6; interface stdout { use wasi:io/streams@0.2.6.{output-stream};
    get-stdout: func() -> output-stream; }";
/// A byte, wherever it is.
const BYTE: MemArg = MemArg { offset: 0, align: 0, memory_index: 0 };
const CONSOLE: &str = "ghost:g/console@0.1.0";
const STORE: &str = "ghost:g/store@0.1.0";

pub(super) fn components() -> Vec<Kind> {
    let parts = Parts { packages: &[], imports: &[CONSOLE, STORE], pages: 1_000, locals: &[(1, ValType::I32)] };
    let write = format!("{CONSOLE}#write");
    let endless = |code: &mut InstructionSink<'_>, body: &dyn Fn(&mut InstructionSink<'_>)| {
        code.loop_(BlockType::Empty);
        body(code);
        code.br(0).end();
    };
    let write = &write;
    let mut kinds = vec![
        binary("a component that loops", &parts, |code, _| endless(code, &|_| {})),
        binary("a component that writes empty lines", &parts, |code, imports| {
            endless(code, &|code| _ = code.i32_const(1).i32_const(0).i32_const(0).call(imports[write]));
        }),
        binary("a component that writes all of its memory", &parts, |code, imports| {
            endless(code, &|code| _ = code.i32_const(1).i32_const(0).i32_const(60 << 20).call(imports[write]));
        }),
        binary("a component that grows", &parts, |code, _| {
            endless(code, &|code| _ = code.i32_const(1).memory_grow(0).drop());
        }),
        binary("a component that puts its memory three times at once", &parts, |code, imports| {
            endless(code, &|code| {
                for _ in 0..3 {
                    code.i32_const(0).i32_const(60 << 20);
                }
                code.i32_const(1_024).call(imports[&format!("{STORE}#put")]);
            });
        }),
    ];
    let streams = "wasi:io/streams@0.2.6";
    let parts = Parts { packages: &[WASI, WASI_CLI], imports: &["wasi:cli/stdout@0.2.6"], ..parts };
    kinds.push(binary("a component that begins a line on every stream", &parts, |code, imports| {
        endless(code, &|code| {
            code.call(imports["wasi:cli/stdout@0.2.6#get-stdout"]).i32_const(0).i32_const(60_000).i32_const(1_024);
            code.call(imports[&format!("{streams}#[method]output-stream.write")]);
        });
    }));
    let parts = Parts { packages: &[], imports: &[], ..parts };
    kinds.push(binary("a component of one long function", &parts, |code, _| {
        for number in 0..300_000 {
            code.local_get(2).i32_const(number).i32_xor().i32_load8_u(BYTE).local_set(2);
        }
    }));
    kinds.push(searching_at_the_end_of_its_stack());
    kinds
}

/// A component that calls itself until its stack is at its end, and searches each time: so the host works at every depth.
fn searching_at_the_end_of_its_stack() -> Kind {
    let parts = Parts { packages: &[], imports: &[STORE], pages: 1, locals: &[(1, ValType::I32)] };
    let (collection, query) = ("many", format!("{}/te(a|st){{2,9}}.*/{}", "(a OR ".repeat(60), ")".repeat(60)));
    let at = 10_000;
    let kind = binary("a component at the end of its stack that searches", &parts, |code, imports| {
        for (place, byte) in (at..).zip(format!("{collection}{query}").bytes()) {
            code.i32_const(place).i32_const(byte.into()).i32_store8(BYTE);
        }
        code.i32_const(at).i32_const(collection.len() as i32);
        code.i32_const(at + collection.len() as i32).i32_const(query.len() as i32);
        for _ in 0..9 {
            code.i32_const(0); // no options
        }
        code.i32_const(1_024).call(imports[&format!("{STORE}#search")]);
        // The function itself follows what is imported.
        code.i32_const(0).i32_const(0).call(imports.len() as u32).drop();
    });
    Kind { before: MANY_DOCUMENTS, ..kind }
}
