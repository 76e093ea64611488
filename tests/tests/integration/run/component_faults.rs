//! Faults inside a run, of components and of ghost's own engine. Each has its own message.

use ghost_tests::{
    component::{made, trapping, wit},
    folder::{Finished, Folder},
};
use wasm_encoder::{Function as Body, InstructionSink, MemArg};

const PLACE: MemArg = MemArg { offset: 0, align: 0, memory_index: 0 };

/// Runs a component whose `run` does this, without imports.
fn component(code: impl FnOnce(&mut InstructionSink<'_>)) -> Finished {
    importing("", code)
}

fn importing(imports: &str, code: impl FnOnce(&mut InstructionSink<'_>)) -> Finished {
    let mut resolve = wit().0;
    let exit = "package wasi:cli@0.2.0; interface exit { exit: func(status: result); }";
    resolve.push_str("exit.wit", exit).expect("the WIT of the test is well-formed");
    let text = format!(
        "package test:probe; world probe {{ {imports} use ghost:g/types@0.1.0.{{json, failure}};
         export run: async func(arguments: list<json>) -> result<option<json>, failure>; }}"
    );
    let mut body = Body::new([]);
    code(&mut body.instructions());
    let folder = Folder::new();
    folder.write("probe.wasm", made(resolve, &text, &body));
    folder.ghost(["run", "probe.wasm"]).finish().never_says("internal error")
}

#[test]
fn a_trap_of_a_component_is_named() {
    let trapped =
        |kind: &str, finished: Finished| finished.exits(1).says(&format!("the script's component trapped: {kind}"));
    trapped("`unreachable` instruction executed", component(|code| _ = code.unreachable().end()));
    trapped("out of bounds memory access", component(|code| _ = code.i32_const(-8).i32_load(PLACE).end()));
    trapped("integer divide by zero", component(|code| _ = code.i32_const(1).i32_const(0).i32_div_u().end()));
    // Nothing is imported, so `run` is the first function.
    trapped("call stack exhausted", component(|code| _ = code.local_get(0).local_get(1).call(0).end()));
}

#[test]
fn a_component_that_exits_says_with_which_status() {
    for (status, shown) in [(0, 0), (1, 1)] {
        let exits = |code: &mut InstructionSink<'_>| _ = code.i32_const(status).call(0).unreachable().end();
        let finished = importing("import wasi:cli/exit@0.2.0;", exits).exits(1);
        finished.says(&format!("the script's component exited with status {shown} before run returned"));
    }
}

#[test]
fn a_component_that_breaks_the_rules_of_its_interface_says_how() {
    let broke = |finished: Finished| finished.exits(1).says("the script's component violated its interface: ");
    broke(component(|code| _ = code.i32_const(i32::MAX - 15).end()));
    broke(component(|code| _ = code.i32_const(17).end()));
    broke(component(|code| _ = code.i32_const(16).i32_const(7).i32_store8(PLACE).i32_const(16).end()));
}

#[test]
fn a_result_that_is_not_json_is_reported() {
    // Ok, some text, at 0, one byte long: a NUL.
    let no_json = |code: &mut InstructionSink<'_>| {
        code.i32_const(20).i32_const(1).i32_store8(PLACE);
        code.i32_const(28).i32_const(1).i32_store(PLACE).i32_const(16).end();
    };
    component(no_json).exits(1).says("the script's component returned a result that is not JSON");
}

#[test]
fn a_component_that_traps_when_memory_is_refused_ends_by_that_limit() {
    component(|code| _ = code.i32_const(30_000).memory_grow(0).drop().unreachable().end()).exits(3).says("memory");
}

#[test]
fn a_component_that_traps_at_once_says_so_for_every_origin() {
    let folder = Folder::new();
    let text = "package test:probe; world probe { use ghost:g/types@0.1.0.{json, failure};
                export run: async func(arguments: list<json>) -> result<option<json>, failure>; }";
    folder.write("probe.wasm", made(wit().0, text, &trapping()));
    for origin in ["local", "mcp"] {
        folder.ghost(["run", "--origin", origin, "probe.wasm"]).finish().exits(1).says("trapped: `unreachable`");
    }
}

/// Each exhausts the memory in its own way, and does nothing else that could fail.
const GREEDY: [&str; 25] = [
    "const all = []; for (;;) all.push({ a: 1 })",
    "let text = 'x'; for (;;) { text += text; text.indexOf('y') }",
    "let text = 'é€'; for (;;) { text += text; text.indexOf('y') }",
    "for (let n = 1 << 20, all = []; ; n += n >> 1) all.push('x'.repeat(n))",
    "const all = []; for (;;) all.push(new ArrayBuffer(1 << 20))",
    "const all = []; for (let n = 1 << 20; ; n *= 2) all.push(new Uint8Array(n))",
    "let text = '\"'; for (;;) { text += text; JSON.stringify(text) }",
    "let data = [1, 2, 3]; for (;;) { data = [data, data]; JSON.stringify(data) }",
    "let text = '1'; for (;;) { text += ',' + text; JSON.parse(`[${text}]`) }",
    "let text = 'x'; for (;;) { text = `${text}${text}`; text.charCodeAt(0) }",
    "let text = 'ab'; for (;;) { text += text; text.replace(/(a|b)/g, '$1$1') }",
    "let text = 'ab'; for (;;) { text += text; /^(?:(a)|(b))*$/.exec(text) }",
    "let source = 'a'; for (;;) { source += source; new RegExp(source) }",
    "let source = 'a'; for (;;) { source += source; new RegExp(`(${source})|(?<x>${source})`) }",
    "const grow = { toJSON() { return [grow.all = [grow.all, 'x'.repeat(1 << 20) + Math.random()]]; } }; for (;;) JSON.stringify(grow)",
    "let text = 'x'; for (;;) { text += text; g.store.count(text) }",
    "let data = 'x'; for (;;) { data += data; g.store.put('c', 'k', data) }",
    "let data = 'é€'; for (;;) { data += data; g.store.put('c', data, 1) }",
    "let data = { a: 'x'.repeat(1 << 10) }; for (;;) { data = { a: data, b: data }; if (!data.c) g.queue.enqueue('q', data) }",
    "let text = 'x'; for (;;) { text += text; new TextEncoder().encode(text) }",
    "let text = 'é'; for (;;) { text += text; encodeURIComponent(text) }",
    "let text = 'x'; for (;;) { text += text; new URL(`http://h/${text}`).href }",
    "let text = 'x'; for (;;) { text += text; btoa(text) }",
    "let text = 'x'; for (;;) { text += text; text.split('') }",
    "let text = '1+'; for (;;) { text += text; new Function(`return ${text}1`) }",
];

#[test]
fn exhausted_memory_ends_the_run_by_its_limit_without_messages_of_the_engine() {
    for code in GREEDY {
        // Arguments that exceed a limit of `g` do not end the run.
        let code = code.replace("g.", "limited.");
        let source = format!(
            "const limited = {{ store: {{ count: (...a) => calm(() => g.store.count(...a)), put: (...a) => calm(() => g.store.put(...a)) }}, \
             queue: {{ enqueue: (...a) => calm(() => g.queue.enqueue(...a)) }} }};\n\
             const calm = (call) => {{ try {{ call(); }} catch (error) {{ if (error.code !== 'INVALID_ARGUMENT') throw error; }} }};\n\
             export function main() {{ {code} }}"
        );
        let finished = Folder::new().script(["--max-memory", "32M", "--timeout", "60s"], &source).finish();
        assert_eq!(finished.status.code(), Some(3), "{code}\n{finished}");
        let finished = finished.says("memory").never_says("memory allocation").never_says("panicked");
        finished.never_says("internal error").never_says("quickjs");
    }
}

#[test]
fn a_source_without_memory_to_compile_it_ends_by_the_limit() {
    let functions = "()=>0,".repeat(700_000);
    let text = "x".repeat(60_000_000);
    for value in [format!("[{functions}]"), format!("'{text}'")] {
        let source = format!("export function main() {{}}\nexport const value = {value};");
        let finished = Folder::new().script([], &source).finish();
        finished.exits(3).never_says("uncaught").never_says("panicked").never_says("memory allocation");
    }
}

#[test]
fn a_source_that_is_nested_too_deep_says_so() {
    for source in ["[".repeat(200_000), "(".repeat(200_000), format!("const x = {}1;", "!".repeat(200_000))] {
        let finished = Folder::new().script([], &format!("export function main() {{}}\n{source}")).finish();
        finished.exits(2).says("SyntaxError: the source is nested too deeply to be compiled");
    }
}

/// Errors of 30 MB, in each part of an error.
const LONG_ERRORS: [&str; 10] = [
    "throw new Error('x'.repeat(30e6))",
    "throw 'x'.repeat(30e6)",
    "throw new Error('e', { cause: new Error('x'.repeat(30e6)) })",
    "throw Object.assign(new Error('e'), { details: { text: 'x'.repeat(30e6) } })",
    "throw Object.assign(new Error('e'), { details: Array.from({ length: 3e5 }, (_, i) => `${i}`) })",
    "throw Object.assign(new Error('e'), { stack: '    at f (script.js:1:1)\\n'.repeat(1e6) })",
    "throw Object.assign(new Error('e'), { stack: `    at ${'f'.repeat(30e6)} (script.js:1:1)` })",
    "throw Object.assign(new Error('e'), { name: 'N'.repeat(10e6), code: 'C'.repeat(10e6), namespace: 'n'.repeat(10e6) })",
    "Promise.reject(new Error('x'.repeat(30e6)))",
    "console.log('y'.repeat(16000)); throw new Error('x'.repeat(30e6))",
];

#[test]
fn the_text_of_an_error_shares_the_limit_of_the_console() {
    for code in LONG_ERRORS {
        let source = format!("export function main() {{ {code}; }}\n");
        let finished = Folder::new().script(["--origin", "mcp"], &source).finish();
        assert_eq!(finished.status.code(), Some(1), "{code}");
        let length = finished.stderr.len();
        // A line may tell what was dropped, and the line of the source is shown.
        assert!(length > 10 && length <= (16 << 10) + (2 << 10), "{code}: {length}");
    }
    let long = "export function main() { throw new Error('x'.repeat(40e6)); }";
    let finished = Folder::new().script([], long).finish().exits(1).says("(40000000 bytes in all)");
    assert!(finished.stderr.len() < 17 << 20);
}
