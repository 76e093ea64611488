//! How long and how large a script may get, whatever it tries.
//!
//! A run ends within 100 ms of its deadline; how that is measured on a busy machine is in `deadline.rs`.

use std::{process::Command, time::Duration};

use ghost_tests::{
    component::{Parts, component},
    deadline::on_time,
    folder::{Finished, Folder},
    program,
};
use wasm_encoder::{
    Component, ConstExpr, DataSection, MemArg, MemorySection, MemoryType, Module, ModuleSection, ValType,
};

/// The time limit of most runs here.
const LIMIT: Duration = Duration::from_millis(500);

/// Runs a script that never ends by itself under a limit of half a second.
#[track_caller]
fn time_bomb(source: &str) -> Finished {
    let run = || Folder::new().script(["--timeout", "500ms"], source).finish().exits(3).prints("").says("500ms");
    on_time(LIMIT, run).never_says("panicked")
}

#[test]
fn an_empty_loop_is_stopped() {
    time_bomb("export function main() { for (;;) {} }").says("--timeout");
}

#[test]
fn a_loop_at_the_top_level_is_stopped() {
    time_bomb("export function main() {}\nfor (;;) {}");
}

#[test]
fn a_loop_that_catches_everything_is_stopped() {
    time_bomb("export function main() { for (;;) { try { for (;;) {} } catch {} finally { continue; } } }");
}

#[test]
fn a_promise_that_queues_itself_is_stopped() {
    time_bomb("export async function main() { const again = () => Promise.resolve().then(again); await again(); }");
}

#[test]
fn a_timer_that_sets_itself_is_stopped() {
    time_bomb(
        "export async function main() { const again = () => setTimeout(again, 0); again(); await new Promise(() => {}); }",
    );
}

#[test]
fn an_interval_that_nobody_clears_is_stopped() {
    time_bomb("export async function main() { setInterval(() => {}, 1); await new Promise(() => {}); }");
}

#[test]
fn a_long_sleep_is_stopped() {
    time_bomb("export async function main() { await new Promise((resolve) => setTimeout(resolve, 3_600_000)); }");
}

#[test]
fn a_pattern_that_backtracks_forever_is_stopped() {
    time_bomb(r#"export function main() { return /^(a+)+$/.test("a".repeat(60) + "b"); }"#);
}

#[test]
fn a_comparison_that_never_ends_is_stopped() {
    time_bomb("export function main() { [3, 1, 2].sort(() => { for (;;) {} }); }");
    time_bomb(
        "export function main() { const a = Array.from({ length: 1000 }, (_, i) => i); \
         for (;;) a.sort(() => Math.random() - 0.5); }",
    );
}

#[test]
fn getters_that_never_end_are_stopped() {
    let getter = "({ get value() { for (;;) {} }, toJSON: undefined })";
    for call in
        ["JSON.stringify(evil)", "g.store.put('c', 'k', evil)", "console.log({ ...evil })", "structuredClone(evil)"]
    {
        time_bomb(&format!("export function main() {{ const evil = {getter}; {call}; }}"));
    }
}

#[test]
fn a_result_whose_json_never_ends_is_stopped() {
    time_bomb("export function main() { return { toJSON() { for (;;) {} } }; }");
}

#[test]
fn a_thrown_value_whose_members_never_end_is_survived() {
    for thrown in [
        "{ get message() { for (;;) {} }, toString() { for (;;) {} } }",
        "Object.defineProperty(new Error('x'), 'stack', { get() { for (;;) {} } })",
        "Object.defineProperty(new Error('x'), 'message', { get() { for (;;) {} } })",
        "new Proxy(new Error('x'), { get() { for (;;) {} } })",
    ] {
        let source = format!("export function main() {{ throw {thrown}; }}");
        let run = || Folder::new().script(["--timeout", "500ms"], &source).finish().prints("");
        let finished = on_time(LIMIT, run).never_says("panicked");
        // Whether it is read at all is not promised.
        assert!(matches!(finished.status.code(), Some(1 | 3)), "{finished}");
    }
}

#[test]
fn an_iterator_that_never_ends_is_stopped() {
    time_bomb("export function main() { for (const x of (function* () { for (;;) yield 1; })()) {} }");
    time_bomb("export function main() { new Set((function* () { for (;;) yield 1; })()); }");
}

#[test]
fn arithmetic_on_huge_numbers_is_stopped() {
    time_bomb("export function main() { let n = 3n; for (;;) n = (n * n) % (10n ** 100_000n) + 3n; }");
}

#[test]
fn calls_of_the_store_do_not_outlive_the_deadline() {
    time_bomb("export function main() { for (let i = 0; ; i++) g.store.put('c', `k${i % 100}`, i); }");
}

#[test]
fn writing_to_the_console_forever_is_stopped() {
    let folder = Folder::new();
    let source = "export function main() { for (;;) console.log('x'.repeat(1000)); }";
    let finished = folder.script(["--timeout", "1s"], source).finish().exits(3);
    assert!(finished.stderr.len() < (16 << 20) + 4096, "{} bytes were written", finished.stderr.len());
}

#[test]
fn a_million_timers_fire() {
    let source = "export async function main() { let fired = 0; for (let i = 0; i < 1e6; i++) setTimeout(() => fired++, i % 7); \
                  await new Promise((resolve) => setTimeout(resolve, 10)); while (fired < 1e6) await new Promise((resolve) => setTimeout(resolve, 1)); \
                  return fired; }";
    Folder::new().script(["--max-memory", "1G"], source).finish().exits(0).prints("1000000\n");
}

/// Runs a script that wants ever more memory under a limit of 32 MiB.
#[track_caller]
fn memory_bomb(source: &str) -> Finished {
    let folder = Folder::new();
    let flags = ["--max-memory", "32M", "--timeout", "60s"];
    folder.script(flags, source).finish().exits(3).prints("").says("memory").never_says("panicked")
}

#[test]
fn an_array_that_grows_is_stopped() {
    memory_bomb("export function main() { const all = []; for (;;) all.push({}); }").says("--max-memory");
}

#[test]
fn texts_that_grow_are_stopped() {
    memory_bomb(
        "export function main() { const all = []; for (let i = 0; ; i++) all.push(`text ${i} `.repeat(1000)); }",
    );
    memory_bomb("export function main() { let text = 'x'; for (;;) { text += text; text.indexOf('y'); } }");
}

#[test]
fn a_text_repeated_too_often_is_stopped() {
    memory_bomb(
        "export function main() { const all = []; for (;;) all.push('x'.repeat(16 * 1024 * 1024) + all.length); }",
    );
}

#[test]
fn typed_arrays_that_grow_are_stopped() {
    memory_bomb("export function main() { const all = []; for (;;) all.push(new Uint8Array(1024 * 1024)); }");
}

#[test]
fn maps_and_sets_that_grow_are_stopped() {
    memory_bomb("export function main() { const all = new Map(); for (let i = 0; ; i++) all.set(i, new Set([i])); }");
}

#[test]
fn closures_that_grow_are_stopped() {
    memory_bomb(
        "export function main() { let last = () => 0; for (;;) { const before = last; last = () => before; } }",
    );
}

#[test]
fn promises_that_grow_are_stopped() {
    memory_bomb(
        "export async function main() { const all = []; for (;;) { all.push(new Promise(() => {})); await null; } }",
    );
}

#[test]
fn timers_that_grow_are_stopped() {
    memory_bomb("export function main() { for (;;) setTimeout(() => {}, 3_600_000); }");
}

#[test]
fn a_result_that_fits_no_memory_is_stopped() {
    memory_bomb("export function main() { return Array.from({ length: 100 }, () => 'x'.repeat(1024 * 1024)); }");
}

#[test]
fn an_allocation_that_fails_can_be_caught() {
    let source =
        "export function main() { try { new Uint8Array(2 ** 30); } catch (error) { return String(error.message); } }";
    let finished = Folder::new().script(["--max-memory", "32M"], source).finish().exits(0);
    assert!(!finished.stdout.trim().is_empty(), "{finished}");
}

#[test]
fn memory_that_was_given_back_serves_again() {
    let source = "export function main() { for (let i = 0; i < 200; i++) { const cycle = { data: new Uint8Array(1 << 20) }; cycle.self = cycle; } }";
    Folder::new().script(["--max-memory", "64M"], source).finish().exits(0);
}

#[test]
fn documents_larger_than_the_memory_are_stopped() {
    let source = "export function main() { const text = 'x'.repeat(8 << 20); for (let i = 0; i < 6; i++) g.store.put('c', `k${i}`, text); \
                  return g.store.list('c').length; }";
    let finished = Folder::new().script(["--max-memory", "40M"], source).finish();
    finished.exits(3).never_says("panicked");
}

/// Runs a script that goes too deep, and must learn of it by an error that it can catch.
#[track_caller]
fn deep(expression: &str) {
    let source = format!(
        "export function main() {{\n  try {{\n    {expression};\n  }} catch (error) {{\n    return error instanceof RangeError \
         || error instanceof SyntaxError ? 'caught' : `${{error}}`;\n  }}\n  return 'nothing was thrown';\n}}\n"
    );
    Folder::new().script(["--timeout", "60s"], &source).finish().exits(0).prints("\"caught\"\n").never_says("panicked");
}

#[test]
fn deep_recursion_is_an_error_that_can_be_caught() {
    deep("(function again() { again(); })()");
    deep("(function again(...values) { return [...values].map(() => again(1, 2, 3)); })(1)");
    deep("const evil = { get value() { return this.value; } }; evil.value");
    deep("const evil = { toString() { return `${this}`; } }; `${evil}`");
    deep("const evil = new Proxy({}, { get(target, key, self) { return self[key]; } }); evil.x");
    deep("class Again { constructor() { new Again(); } } new Again()");
}

#[test]
fn plain_calls_may_be_5_000_deep() {
    let source = "const down = (depth) => (depth === 0 ? 0 : down(depth - 1) + 1);
const sum = (list, at, total) => {
  const next = total + list[at];
  return at + 1 === list.length ? next : sum(list, at + 1, next) + 0;
};
export const main = () => [down(5000), sum(Array(5000).fill(1), 0, 0)];
";
    Folder::new().script([], source).finish().exits(0).prints("[5000,5000]\n");
}

#[test]
fn deep_recursion_of_every_kind_is_an_error_that_can_be_caught() {
    deep("(function again() { [1].map(again); })()");
    deep("(function again() { [2, 1].sort(again); })()");
    deep("(function again() { 'x'.replace('x', again); })()");
    deep("(function again() { JSON.stringify({ toJSON: again }); })()");
    deep("(function again() { JSON.parse('[1]', again); })()");
    deep("(function again() { new Proxy(again, {})(); })()");
    deep("(function again() { const [first] = { [Symbol.iterator]: again }; })()");
    deep("(function again({ value = again({}) }) { return value; })({})");
    deep("(function again() { Reflect.apply(again, null, []); again(); })()");
    deep("(function again(depth) { try { again(depth + 1); } finally { JSON.stringify([[[[depth]]]]); } })(0)");
    deep("function* again() { yield* again(); } [...again()]");
    deep("let value = {}; for (let i = 0; i < 1e5; i++) value = new Proxy(value, {}); value.x");
    deep("g.store.put('c', 'k', 1); (function again() { g.store.update('c', 'k', again); })()");
}

#[test]
fn deep_recursion_of_an_asynchronous_function_rejects_its_promise() {
    let source = "async function again() { await again(); }
export const main = async () => { try { await again(); } catch (error) { return error instanceof RangeError; } };
";
    Folder::new().script([], source).finish().exits(0).prints("true\n");
}

#[test]
fn deep_json_at_the_end_of_deep_calls_is_an_error_that_can_be_caught() {
    let at_depth = |what: &str| {
        deep(&format!("(function again(depth) {{ if (depth === 4000) {what}; else again(depth + 1); }})(0)"));
    };
    at_depth("JSON.stringify(Array(1e5).fill().reduce((inner) => [inner], 0))");
    at_depth("JSON.parse('['.repeat(1e4))");
    at_depth("new Function('('.repeat(1e4))");
    at_depth("new RegExp('('.repeat(1e4))");
}

#[test]
fn deep_json_is_an_error_that_can_be_caught() {
    deep("JSON.parse('['.repeat(1e6))");
    deep("JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))");
    deep("let value = 0; for (let i = 0; i < 1e5; i++) value = [value]; JSON.stringify(value)");
}

#[test]
fn deep_values_are_copied_and_shown() {
    let source = "export function main() {
      let value = 0;
      for (let i = 0; i < 1e5; i++) value = { value };
      console.log(value);
      let depth = 0;
      for (let copy = structuredClone(value); copy; copy = copy.value) depth++;
      return depth;
    }";
    Folder::new().script([], source).finish().exits(0).prints("100000\n").says("[Object]").never_says("panicked");
}

#[test]
fn deep_source_and_patterns_are_errors_that_can_be_caught() {
    deep("new Function('['.repeat(1e5) + ']'.repeat(1e5))");
    deep("new Function('('.repeat(1e5) + ')'.repeat(1e5))");
    deep("new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x')");
}

#[test]
fn uncaught_deep_recursion_is_an_error_of_the_script() {
    let source = "export function main() {\n  (function again() { again(); })();\n}\n";
    Folder::new().script([], source).finish().exits(1).says("RangeError").says("script.js:2").never_says("panicked");
}

#[test]
fn deeply_nested_source_does_not_start() {
    for source in ["[".repeat(200_000), "(".repeat(200_000), format!("const x = {}1;", "!".repeat(200_000))] {
        let finished = Folder::new().script([], &format!("export function main() {{}}\n{source}")).finish();
        finished.exits(2).never_says("panicked");
    }
}

#[test]
fn a_large_script_compiles_or_says_why_not() {
    let mut source = "export function main() { return f9999(); }\n".to_owned();
    for index in 0..10_000 {
        source += &format!("function f{index}() {{ return {index}; }}\n");
    }
    Folder::new().script([], &source).finish().exits(0).prints("9999\n");
}

#[test]
fn compiling_a_script_counts_towards_the_time_of_the_run() {
    let source = format!("export function main() {{}}\n{}", "(() => { let a = 1; return a; })();\n".repeat(400_000));
    time_bomb(&source).says("--timeout");
}

/// A function that a compiler takes seconds, and half a gigabyte, for.
fn slow_to_compile() -> Vec<u8> {
    let parts = Parts { packages: &[], imports: &[], pages: 1, locals: &[(1, ValType::I32)] };
    component(&parts, |code, _| {
        for number in 0..300_000 {
            code.local_get(2).i32_const(number).i32_xor().i32_load8_u(MemArg { offset: 0, align: 0, memory_index: 0 });
            code.local_set(2);
        }
    })
}

#[test]
fn compiling_a_component_counts_towards_the_time_of_the_run() {
    let folder = Folder::new();
    folder.write("slow.wasm", slow_to_compile());
    on_time(Duration::from_millis(300), || {
        let run = folder.ghost(["run", "--timeout", "300ms", "--max-memory", "1G", "slow.wasm"]);
        run.finish().exits(3).prints("").says("--timeout")
    });
}

#[test]
fn a_signal_ends_the_compiling_of_a_component() {
    let folder = Folder::new();
    folder.write("slow.wasm", slow_to_compile());
    let mut shell = Command::new("bash");
    shell.args(["-c", "\"$GHOST\" run --max-memory 1G slow.wasm & sleep 0.5; kill -TERM $!; wait $!; echo $?"]);
    let ghost = program::binary().display().to_string();
    let finished = folder.command(shell).env("GHOST", &ghost).finish().exits(0).prints("130\n");
    // Without the signal, compiling takes seconds, and the run ends with another status.
    assert!(finished.time < Duration::from_secs(5), "{finished}");
}

#[test]
fn a_component_that_takes_the_compiler_more_memory_than_the_run_has_is_refused() {
    let folder = Folder::new();
    folder.write("slow.wasm", slow_to_compile());
    let finished = folder.ghost(["run", "--max-memory", "64M", "slow.wasm"]).finish().fails_clearly(3);
    assert!(finished.peak_memory < (64 << 20) + 100_000_000, "{} MB", finished.peak_memory / 1_000_000);
    finished.says("compiling the component takes more memory than the limit of 64 MiB allows (--max-memory)");
}

/// The memory for data segments is not estimated, but measured.
#[test]
fn a_component_is_given_up_when_the_process_has_more_memory_than_the_run_may_take() {
    let (mut memories, mut data, mut module) = (MemorySection::new(), DataSection::new(), Module::new());
    let pages = MemoryType { minimum: 1_024, maximum: None, memory64: false, shared: false, page_size_log2: None };
    memories.memory(pages);
    data.active(0, &ConstExpr::i32_const(0), vec![7; 50 << 20]);
    module.section(&memories).section(&data);
    let mut component = Component::new();
    component.section(&ModuleSection(&module));
    let folder = Folder::new();
    folder.write("data.wasm", component.finish());
    let finished = folder.ghost(["run", "--max-memory", "16M", "data.wasm"]).finish().fails_clearly(3);
    assert!(finished.peak_memory < (16 << 20) + 100_000_000, "{} MB", finished.peak_memory / 1_000_000);
    finished.says("compiling the component takes more memory than the limit of 16 MiB allows (--max-memory)");
}

#[test]
fn a_component_that_is_too_large_is_refused() {
    let folder = Folder::new();
    folder.write("large.wasm", vec![0; (64 << 20) + 1]);
    folder.ghost(["run", "large.wasm"]).finish().exits(2).says("large.wasm is 65 MiB, the limit is 64 MiB");
}

#[test]
fn depth_of_an_input_ends_no_host() {
    let folder = Folder::new();
    folder.write("deep.json", "[".repeat(1_000_000) + &"]".repeat(1_000_000));
    let source = "export function main(input) { return 'it is there'; }";
    let finished = folder.script(["--input", "@deep.json"], source).finish().never_says("panicked");
    assert!(matches!(finished.status.code(), Some(0 | 1 | 3)), "{finished}");
    folder.write("deep.jsonl", format!("{{\"id\":1,\"data\":{}{}}}\n", "[".repeat(1_000_000), "]".repeat(1_000_000)));
    let imported = folder.ghost(["store", "import", "--key", "id", "c", "deep.jsonl"]).finish();
    imported.exits(1).says("data is nested 1000001 levels deep, the limit is 1000");
}
