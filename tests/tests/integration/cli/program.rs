//! The command line: flags, inputs and exit statuses.

use std::fs;

use ghost_tests::{
    folder::{Finished, Folder},
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
    ghost(&["run", "-e", HELLO, "--fast"]).exits(2).prints("").says("--fast");
    ghost(&["run", "-e", HELLO, "--", "--fast"]).exits(0).prints("[\"hello\",\"--fast\"]\n");
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
        let text = folder.script(["--input", &input, "--input-format", "text"], script).finish().exits(0);
        let text: String = serde_json::from_str(&text.stdout).expect("the format is that of the flag");
        assert_eq!(text, content.trim_start_matches('\u{feff}'), "{name}");
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
fn what_helps_is_told() {
    let folder = Folder::new();
    folder.write("data.csv", "a,b\n1,2\n");
    folder.script(["--input", "data.csv"], HELLO).finish().exits(2).says("to read the file: @data.csv");
    let piped = folder.script(["--input", "-"], HELLO).stdin("a,b\n").finish();
    piped.exits(2).says("--input-format jsonl, csv or text");
    let without_main = folder.ghost(["run", "-e", "const a = 1;"]).finish().exits(2);
    without_main.says("-e does not define main").says("export function main() {");
    folder.ghost(["run", "-e", "export const main = () => null.x;"]).finish().exits(1).says("at main (-e:1:");
    folder.script([], "export const main = 1;").finish().exits(2).says("export function main() {");
    folder.ghost(["run", "--nosuch", "x.js"]).finish().exits(2).says("'--nosuch'").never_says("tip");
    folder.write("file", "");
    folder.ghost(["init", "file"]).finish().fails_clearly(2).says("file can't be created").never_says("os error");
    folder
        .ghost(["store", "collections", "--workspace", "file"])
        .finish()
        .fails_clearly(2)
        .says("this is not a folder");
    let elsewhere = folder.ghost(["store", "collections", "--workspace", "."]).finish();
    elsewhere.fails_clearly(2).says("--workspace .: there is no workspace in this folder; to create one: ghost init .");
}

#[test]
fn no_help_is_wider_than_a_terminal() {
    let (folder, mut commands, mut read) = (Folder::new(), vec![String::new()], 0);
    while let Some(command) = commands.pop() {
        let words = command.split_whitespace().chain(["--help"]);
        let help = folder.ghost(words).env("COLUMNS", "80").finish().exits(0).stdout;
        let wide: Vec<_> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{command}: {wide:?}");
        commands.extend(subcommands(&help).map(|word| format!("{command} {word}")));
        read += 1;
    }
    assert!(read > 30, "only {read} commands were found");
}

/// The commands that a help lists.
fn subcommands(help: &str) -> impl Iterator<Item = &str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A description goes on further to the right.
    let named = listed.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    named.filter_map(|line| line.split(' ').next()).filter(|word| *word != "help")
}

#[test]
fn a_file_of_input_may_be_large() {
    let folder = Folder::new();
    folder.write("large.jsonl", "{\"text\":\"some words\"}\n".repeat(100_000));
    let script = "export const main = (values) => values.length;";
    folder.script(["--input", "@large.jsonl"], script).finish().exits(0).prints("100000\n");
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
        let completions = ghost(&["completions", shell]).exits(0).stdout;
        assert!(["ghost", "collections", "max-memory"].iter().all(|word| completions.contains(word)), "{shell}");
    }
    ghost(&["completions", "punchcards"]).exits(2);
}
