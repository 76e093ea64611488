//! The command line as a user meets it: what it reads, what it prints, with which status it ends.

use std::{fs, process::Command};

use ghost_tests::{
    folder::{Finished, Folder},
    program::binary,
    root,
};

const HELLO: &str = "export const main = (...values) => ['hello', ...values];";

fn ghost(arguments: &[&str]) -> Finished {
    Folder::new().ghost(arguments.iter().copied()).finish()
}

#[test]
fn help_and_version_are_printed() {
    assert!(ghost(&["--help"]).exits(0).stdout.contains("ghost run"));
    assert!(ghost(&["run", "--help"]).exits(0).stdout.contains("--timeout"));
    assert!(ghost(&["--version"]).exits(0).stdout.starts_with("ghost "));
}

#[test]
fn an_unknown_flag_or_command_does_not_start() {
    ghost(&[]).exits(2).prints("");
    ghost(&["fly"]).exits(2).prints("").says("fly");
    ghost(&["run", "--fast", "x.js"]).exits(2).prints("").says("--fast");
    ghost(&["run"]).exits(2).prints("");
}

#[test]
fn a_script_without_the_word_run_gets_a_hint() {
    let folder = Folder::new();
    folder.write("hello.js", HELLO);
    folder.ghost(["hello.js"]).finish().exits(2).says("ghost run hello.js");
}

#[test]
fn values_of_flags_are_checked() {
    let folder = Folder::new();
    for (flag, value) in [
        ("--timeout", "0"),
        ("--timeout", "0s"),
        ("--timeout", "soon"),
        ("--timeout", "-1s"),
        ("--timeout", ""),
        ("--max-memory", "0"),
        ("--max-memory", "1"),
        ("--max-memory", "much"),
        ("--max-memory", "1E"),
        ("--origin", "mars"),
        ("--input-format", "xml"),
    ] {
        let flag = format!("{flag}={value}");
        folder.script([flag.as_str()], HELLO).finish().exits(2).prints("").says(value).never_says("panicked");
    }
}

#[test]
fn durations_and_sizes_have_units() {
    let folder = Folder::new();
    for flag in [
        "--timeout=500ms",
        "--timeout=10s",
        "--timeout=5m",
        "--max-memory=64M",
        "--max-memory=256MiB",
        "--max-memory=1G",
    ] {
        folder.script([flag], HELLO).finish().exits(0).prints("[\"hello\"]\n");
    }
}

#[test]
fn code_comes_from_the_command_line() {
    ghost(&["run", "-e", HELLO]).exits(0).prints("[\"hello\"]\n");
    ghost(&["run", "--eval", HELLO]).exits(0).prints("[\"hello\"]\n");
    ghost(&["run", "-e", HELLO, "a", "b"]).exits(0).prints("[\"hello\",\"a\",\"b\"]\n");
    ghost(&["run", "-e", "export const main = 1 +;"]).exits(2).says("SyntaxError");
}

#[test]
fn a_script_comes_from_standard_input() {
    let folder = Folder::new();
    folder.ghost(["run", "-", "a"]).stdin(HELLO).finish().exits(0).prints("[\"hello\",\"a\"]\n");
    folder.ghost(["run", "-"]).stdin("").finish().exits(2).says("does not define main");
    folder.ghost(["run", "-"]).stdin([0xff, 0xfe, 0x00]).finish().exits(2).says("UTF-8");
}

#[test]
fn script_and_input_from_standard_input_are_refused() {
    let folder = Folder::new();
    folder.ghost(["run", "--input", "-", "-"]).stdin(HELLO).finish().exits(2).prints("").says("standard input");
    folder.ghost(["run", "-e", HELLO, "--input", "-"]).stdin("1").finish().exits(0).prints("[\"hello\",1]\n");
}

#[test]
fn a_script_may_begin_with_a_line_for_the_shell() {
    let source = format!("#!/usr/bin/env -S ghost run\n{HELLO}");
    Folder::new().script([], &source).finish().exits(0).prints("[\"hello\"]\n");
}

#[test]
fn a_script_may_begin_with_a_byte_order_mark_and_end_its_lines_as_windows_does() {
    let source = "\u{feff}export function main() {\r\n  throw new Error('x');\r\n}\r\n";
    Folder::new().script([], source).finish().exits(1).says("script.js:2");
}

#[test]
fn a_script_that_can_not_be_read_does_not_start() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("folder.js")).expect("a folder");
    folder.write("latin1.js", b"export const main = () => '\xe9';");
    folder.write("binary.js", [0, 159, 146, 150, 0, 1, 2]);
    folder.write("types.ts", "export function main(): number { return 1; }");
    folder.write("text.wasm", "no component");
    folder.write("module.wasm", b"\0asm\x01\0\0\0");
    folder.ghost(["run", "missing.js"]).finish().exits(2).prints("").says("missing.js");
    folder.ghost(["run", "folder.js"]).finish().exits(2).prints("").says("folder");
    folder.ghost(["run", "latin1.js"]).finish().exits(2).prints("").says("UTF-8");
    folder.ghost(["run", "binary.js"]).finish().exits(2).prints("").never_says("panicked");
    folder.ghost(["run", "types.ts"]).finish().exits(2).prints("").says("TypeScript");
    folder.ghost(["run", "text.wasm"]).finish().exits(2).prints("").never_says("panicked");
    folder.ghost(["run", "module.wasm"]).finish().exits(2).prints("").never_says("panicked");
}

#[test]
fn a_script_that_may_not_be_read_does_not_start() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    let script = folder.write("secret.js", HELLO);
    fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
    let finished = root::ghost_as_nobody(&folder, ["run", "secret.js"]).finish();
    finished.exits(2).prints("").says("secret.js").says("ermission");
}

#[test]
fn input_comes_from_a_file_and_its_ending_says_how() {
    let folder = Folder::new();
    let script = "export const main = (value) => value;";
    for (name, content, expected) in [
        ("a.json", "{\"a\": [1, 2]}\n", "{\"a\":[1,2]}\n"),
        ("a.jsonl", "1\n\n{\"b\":2}", "[1,{\"b\":2}]\n"),
        ("a.ndjson", "1\r\n2\r\n", "[1,2]\n"),
        ("a.csv", "\u{feff}x,y\r\n1,\"two\nlines\"\r\n", "[{\"x\":\"1\",\"y\":\"two\\nlines\"}]\n"),
        ("a.txt", "some text\n", "\"some text\\n\"\n"),
        ("a.unknown", "[true]", "[true]\n"),
    ] {
        folder.write(name, content);
        let input = format!("@{name}");
        folder.script(["--input", &input], script).finish().exits(0).prints(expected);
        folder.script(["--input", &input, "--input-format", "text"], script).finish().exits(0);
    }
}

#[test]
fn input_that_can_not_be_read_does_not_start() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    folder.write("latin1.json", b"\"\xe9\"");
    folder.write("broken.json", "{\n  \"a\": 1,\n  \"b\" 2\n}");
    folder.write("broken.csv", "a,b\n1,2\n1,2,3\n");
    folder.write("empty.json", "");
    folder.script(["--input", "@missing.json"], HELLO).finish().exits(2).prints("").says("missing.json");
    folder.script(["--input", "@folder"], HELLO).finish().exits(2).prints("").says("folder");
    folder.script(["--input", "@latin1.json"], HELLO).finish().exits(2).prints("").says("UTF-8");
    folder.script(["--input", "@broken.json"], HELLO).finish().exits(2).prints("").says("line 3");
    folder.script(["--input", "@broken.csv"], HELLO).finish().exits(2).prints("").says("line 3");
    folder.script(["--input", "@empty.json"], HELLO).finish().exits(2).prints("").says("empty.json");
    folder.script(["--input", ""], HELLO).finish().exits(2).prints("");
    folder.script(["--input", &"[".repeat(100_000)], HELLO).finish().exits(2).prints("").never_says("panicked");
}

#[test]
fn a_file_of_input_may_be_large() {
    let folder = Folder::new();
    folder.write("large.jsonl", "{\"text\":\"some words\"}\n".repeat(100_000));
    let script = "export const main = (values) => values.length;";
    folder.script(["--input", "@large.jsonl"], script).finish().exits(0).prints("100000\n");
}

#[test]
fn the_result_is_one_line_when_it_goes_to_a_program() {
    let source = "export const main = () => ({ a: [1, 2], b: { c: 'ü' }, e: [], f: {} });";
    let expected = "{\"a\":[1,2],\"b\":{\"c\":\"ü\"},\"e\":[],\"f\":{}}\n";
    Folder::new().script([], source).finish().exits(0).prints(expected);
}

/// What `ghost run` of a script shows on a terminal: both outputs.
fn on_a_terminal(source: &str) -> String {
    let folder = Folder::new();
    folder.write("script.js", source);
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &format!("'{}' run script.js", binary().display()), "/dev/null"]);
    let finished = folder.command(terminal).env("TERM", "xterm").env("NO_COLOR", "1").finish();
    finished.stdout.replace("\r\n", "\n")
}

#[test]
fn the_result_is_indented_on_a_terminal() {
    let shown = on_a_terminal("export const main = () => ({ a: [1, 2], e: [], f: {} });");
    assert_eq!(shown, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"e\": [],\n  \"f\": {}\n}\n");
}

#[test]
fn a_terminal_gets_no_control_character_of_a_script() {
    let text = "'a\\x1b[31m\\x07\\x9b\\u202e\\x7f'";
    for source in [
        format!("export const main = () => {text};"),
        format!("export const main = () => {{ console.log({text}); }};"),
        format!("export const main = () => {{ console.error('%s', {text}); }};"),
        format!("export const main = () => {{ throw new Error({text}); }};"),
    ] {
        let shown = on_a_terminal(&source);
        assert!(shown.contains("[31m"), "{shown:?}");
        let hostile = ['\x1b', '\x07', '\u{9b}', '\u{202e}', '\x7f'];
        assert!(!shown.contains(hostile), "{source}\n{shown:?}");
    }
}

#[test]
fn lines_and_tabs_reach_a_terminal() {
    assert_eq!(on_a_terminal("export const main = () => { console.log('a\\tb\\nc'); };"), "a\tb\nc\n");
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let folder = Folder::new();
    folder.write("result.js", "export const main = () => 'x'.repeat(4 << 20);");
    folder
        .write("console.js", "export const main = () => { for (let i = 0; i < 1e5; i++) console.log(`line ${i}`); };");
    for pipe in ["run result.js | head -c 10", "run console.js 2>&1 | head -n 1"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("'{}' {pipe}", binary().display())]);
        let finished = folder.command(shell).finish().exits(0).never_says("panicked").never_says("ipe");
        assert!(!finished.stdout.is_empty());
    }
}

#[test]
fn a_result_over_64_mib_is_refused() {
    let source = "export const main = () => 'x'.repeat((64 << 20) - 1);";
    let finished = Folder::new().script(["--max-memory", "1G"], source).finish().exits(3).prints("");
    finished.says("67108865").says("67108864");
}

#[test]
fn the_console_is_cut_at_16_mib_and_the_run_goes_on() {
    let source = "export const main = () => { const line = 'x'.repeat(1 << 20); for (let i = 0; i < 20; i++) console.log(line); return 'done'; };";
    let finished = Folder::new().script([], source).finish().exits(0).prints("\"done\"\n");
    assert!((15 << 20..(16 << 20) + 1024).contains(&finished.stderr.len()), "{}", finished.stderr.len());
    let last = finished.stderr.lines().last().expect("a line");
    assert!(last.contains("dropped") && last.len() < 300, "{last}");
}

#[test]
fn a_script_of_mcp_origin_has_its_limits() {
    let folder = Folder::new();
    let mcp = ["--origin", "mcp"];
    let console =
        "export const main = () => { for (let i = 0; i < 40; i++) console.log('x'.repeat(1023)); return 1; };";
    let finished = folder.script(mcp, console).finish().exits(0).prints("1\n").says("dropped");
    assert!((14 << 10..17 << 10).contains(&finished.stderr.len()), "{}", finished.stderr.len());

    let memory = "export const main = () => new Uint8Array(160 << 20).length;";
    folder.script(mcp, memory).finish().exits(3).prints("");
    folder.script([], memory).finish().exits(0).prints("167772160\n");
}

#[test]
fn a_result_of_mcp_origin_is_cut() {
    let folder = Folder::new();
    let source = "export const main = () => Array.from({ length: 10_000 }, (_, i) => ({ i, text: '\"é😀\"' }));";
    let finished = folder.script(["--origin", "mcp"], source).finish().exits(0);
    let whole = folder.script([], source).finish().exits(0).stdout;
    let cut: serde_json::Value = serde_json::from_str(&finished.stdout).expect("a cut result is JSON");
    assert_eq!(cut["truncated"], true);
    assert_eq!(cut["size"], whole.trim_end().chars().count());
    assert!(whole.starts_with(cut["preview"].as_str().expect("a text")));
    assert!(finished.stdout.trim_end().chars().count() <= 24_000);
    assert!(!finished.stderr.is_empty(), "a line says how to narrow it");

    let fits = "export const main = () => 'x'.repeat(23_998);";
    assert_eq!(folder.script(["--origin", "mcp"], fits).finish().exits(0).stdout.trim_end().len(), 24_000);
}

#[test]
fn verbose_tells_what_the_run_cost() {
    let source = "export const main = () => { g.store.put('c', 'k', 1); return g.store.count('c'); };";
    let finished = Folder::new().script(["--verbose"], source).finish().exits(0).prints("1\n");
    finished.says("commits=").says("host_calls=2");
}

#[test]
fn the_column_of_a_frame_is_never_wrong() {
    // One statement a line, so that a column can be told right from wrong: it lies inside the statement that threw.
    for (statement, place) in [
        ("        throw new Error('x')", 8..32),
        ("/* 😀 é */  null.x", 12..18),
        ("const ü = '😀'; undefinedName()", 16..32),
    ] {
        let source = format!("export function main() {{\n{statement};\n}}\n");
        let finished = Folder::new().script([], &source).finish().exits(1).says("script.js:2");
        let after = finished.stderr.split("script.js:2").nth(1).expect("it was said");
        let column =
            after.strip_prefix(':').map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
        if let Some(column) = column {
            let column: usize = column.parse().expect("a number");
            assert!(place.contains(&(column - 1)), "column {column} is outside of the statement\n{finished}");
        }
    }
}

#[test]
fn types_are_printed() {
    let types = ghost(&["types"]).exits(0).stdout;
    for text in ["StoreListOptions", "StoreDoc", "put(collection: string", "\"updatedAt\""] {
        assert!(types.contains(text), "{text} is missing");
    }
}

#[test]
fn completions_are_printed() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(ghost(&["completions", shell]).exits(0).stdout.contains("ghost"));
    }
    ghost(&["completions", "punchcards"]).exits(2);
}
