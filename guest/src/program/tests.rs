use javy::quickjs::{Coerced, Module};

use super::*;

/// Compiles a script, runs it and returns the result of `main` as text.
fn run(source: &str) -> String {
    let bytecode = match bytecode("script.js", source) {
        Ok(bytecode) => bytecode,
        Err(failure) => return format!("{failure:?}"),
    };
    runtime::with(|ctx| {
        // SAFETY: the bytecode is that of this engine.
        let module = unsafe { Module::load(ctx.clone(), &bytecode) }.unwrap();
        let (module, evaluated) = module.eval().unwrap();
        evaluated.finish::<()>().unwrap();
        entry(&module.namespace().unwrap()).unwrap().call::<_, Coerced<String>>(()).unwrap().0
    })
}

#[test]
fn a_nul_is_a_character_of_texts_and_comments() {
    for literal in [
        "'a\0b'",
        "\"a\0b\"",
        "`a\0b`",
        "`a\0${''}b`",
        "/a\0b/.source",
        "eval(\"'a\\0b'\")",
        "'a' /* \0 */ + '\0b' // \0",
    ] {
        assert_eq!(run(&format!("export function main() {{ return {literal}\n }}")), "a\0b", "{literal:?}");
        assert_eq!(run(&format!("export default () => {literal}\n")), "a\0b", "{literal:?}");
    }
}

#[test]
fn a_nul_elsewhere_is_a_syntax_error() {
    for source in
        ["\0", "export function main() {}\0", "\0export function main() {}", "let a\0b; export function main() {}"]
    {
        let failure = run(source);
        assert!(failure.contains("SyntaxError"), "{source:?}: {failure}");
    }
}

#[test]
fn bytecode_contains_no_source() {
    let text = "function named() {\n    [native code]\n}";
    assert_eq!(run("export function main() { function named() {} return String(named); }"), text);
    assert_eq!(run("export default () => { function named() {} return String(named); }"), text);
}
