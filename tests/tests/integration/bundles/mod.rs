//! `ghost compile`, `ghost inspect`, and running what they are about.

mod cache;
mod components;
mod hostile;
mod kept;

use std::fs;

use ghost_tests::{
    folder::{Finished, Folder},
    program::repository,
};
use serde_json::Value;

/// What a bundle of a short script may be long.
const MAX_BUNDLE_BYTES: u64 = 1_700_000;

/// Compiles a script in a new folder.
fn compiled(source: &str, flags: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("script.js", source);
    compile(&folder, flags).exits(0);
    folder
}

fn compile(folder: &Folder, flags: &[&str]) -> Finished {
    folder.ghost(["compile"].iter().chain(flags).copied().chain(["script.js"])).finish()
}

fn run(folder: &Folder, words: &[&str]) -> Finished {
    folder.ghost(["run"].iter().chain(words).copied()).finish()
}

fn inspect(folder: &Folder, file: &str) -> Value {
    let shown = folder.ghost(["inspect", file, "--json"]).finish().exits(0);
    serde_json::from_str(&shown.stdout).expect("it prints JSON")
}

/// A script with all that could differ in a bundle: arguments, the console, the store, a timer, a result.
const JOB: &str = "export async function main(name) {
  console.log('hello', name);
  g.store.put('people', name, { name, at: 1 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { count: g.store.count('people'), name, big: 2n ** 40n > 1n };
}";

#[test]
fn a_bundle_does_what_its_script_does() {
    for flags in [&[][..], &["--local"], &["--no-source"]] {
        let folder = compiled(JOB, flags);
        let script = run(&folder, &["script.js", "Ada"]).exits(0);
        let bundle = run(&folder, &["script.wasm", "Ada"]).exits(0).prints(&script.stdout);
        assert!(bundle.stderr.contains("hello Ada"), "{}", bundle.stderr);
    }
}

#[test]
fn an_error_of_a_bundle_has_the_positions_and_the_line_of_the_source() {
    let source = "function inner(value) {\n  return value.missing.member;\n}\nexport const main = () => inner({});\n";
    let folder = compiled(source, &[]);
    let (script, bundle) = (run(&folder, &["script.js"]).exits(1), run(&folder, &["script.wasm"]).exits(1));
    assert!(
        script.stderr.contains("script.js:2") && script.stderr.contains("value.missing.member"),
        "{}",
        script.stderr
    );
    assert_eq!(script.stderr, bundle.stderr);

    compile(&folder, &["--no-source"]).exits(0);
    run(&folder, &["script.wasm"]).exits(1).says("script.js:2").never_says("value.missing.member");
    let bytes = fs::read(folder.path().join("script.wasm")).expect("the bundle");
    assert!(!bytes.windows(20).any(|window| window == b"value.missing.member"), "the source is in it");
}

#[test]
fn a_bundle_imports_what_its_script_names() {
    let external = "export const main = () => g.sqldb.query('db', 'select 1')";
    let (named, plain) = (compiled(external, &[]), compiled(JOB, &[]));
    let imports = |folder: &Folder| {
        let shown = inspect(folder, "script.wasm");
        (shown["world"].clone(), shown["mcp"].clone(), shown["imports"].to_string().contains("ghost:g/sqldb@"))
    };
    assert_eq!(imports(&named), ("script".into(), false.into(), true));
    assert_eq!(imports(&plain), ("local-script".into(), true.into(), false));

    let local = Folder::new();
    local.write("script.js", external);
    compile(&local, &["--local"]).exits(0).says("world local-script (--local)");
    assert_eq!(imports(&local), ("local-script".into(), true.into(), false));
    run(&local, &["script.wasm"]).exits(1).says("[BLOCKED]");
}

#[test]
fn a_bundle_for_external_systems_does_not_start_for_mcp() {
    let folder = compiled("export const main = () => typeof g.sqldb", &[]);
    run(&folder, &["script.wasm"]).exits(0);
    let refused = run(&folder, &["--origin", "mcp", "script.wasm"]).fails_clearly(2);
    refused
        .says("script.wasm: the component imports ghost:g/")
        .says("a script of MCP origin can't use external systems");
    let local = compiled("export const main = () => 1", &[]);
    run(&local, &["--origin", "mcp", "script.wasm"]).exits(0).prints("1\n");
}

const EXTERNAL_JOB: &str = "export const main = async () => typeof g.sqldb.query";

/// A script of each world, the world, and the engine in its bundle.
const WORLDS: [(&str, &str, &str); 2] =
    [(JOB, "local-script", "bundle-local-engine"), (EXTERNAL_JOB, "script", "bundle-engine")];

#[test]
fn a_bundle_is_small() {
    for (source, world, _) in WORLDS {
        let folder = compiled(source, &[]);
        let shown = inspect(&folder, "script.wasm");
        let size = shown["size"].as_u64().expect("a size");
        println!("{world}: {size}");
        assert_eq!(shown["world"], world);
        assert!(size < MAX_BUNDLE_BYTES, "a bundle of the world {world} has {size} bytes");
    }
}

#[test]
fn the_small_engine_in_a_bundle_is_recognized_by_its_bytes() {
    for (source, world, engine) in WORLDS {
        let folder = compiled(source, &[]);
        let file = repository().join("guest/engine").join(engine).with_extension("wasm");
        let engine = fs::read(file).expect("the engine is committed");
        let mut bundle = fs::read(folder.path().join("script.wasm")).expect("the bundle");
        let at = find(&bundle, &engine).unwrap_or_else(|| panic!("the engine of {world} is not in its bundle"));
        assert_eq!(inspect(&folder, "script.wasm")["builtInEngine"], true);
        let expected = run(&folder, &["script.wasm", "Ada"]).exits(0).stdout;
        let cache = folder.path().join(".cache/ghost/components");
        assert!(!cache.exists(), "the bundle of {world} was compiled");

        // The first letter of a message that no script of this test sees.
        let message = find(&engine, b"fetch is not available").expect("the engine has the message");
        bundle[at + message] = b'F';
        folder.write("other.wasm", bundle);
        assert_eq!(inspect(&folder, "other.wasm")["builtInEngine"], false);
        let other = run(&folder, &["other.wasm", "Ada"]).exits(0);
        assert_eq!(other.stdout, expected, "the small engine of {world} initializes itself");
        assert!(cache.exists(), "the changed bundle of {world} was not compiled");
    }
}

/// Where the bytes of `part` begin.
fn find(whole: &[u8], part: &[u8]) -> Option<usize> {
    whole.windows(part.len()).position(|window| window == part)
}

#[test]
fn a_bundle_is_inspected() {
    let folder = compiled(JOB, &[]);
    let shown = inspect(&folder, "script.wasm");
    assert_eq!(shown["builtInEngine"], true);
    assert_eq!(shown["bundle"]["name"], "script.js");
    assert_eq!(shown["bundle"]["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(shown["source"], JOB);
    compile(&folder, &["--no-source"]).exits(0);
    assert_eq!(inspect(&folder, "script.wasm")["source"], Value::Null);
    let text = folder.ghost(["inspect", "script.wasm"]).finish().exits(0).stdout;
    for line in ["world    local-script", "engine   that of this ghost", "script   script.js", "source   not included"]
    {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
}

#[test]
fn a_bundle_of_another_engine_is_compiled_and_runs() {
    let folder = compiled(JOB, &[]);
    let mut bytes = fs::read(folder.path().join("script.wasm")).expect("the bundle");
    // An empty custom section after the preamble: another component, which does the same.
    bytes.splice(8..8, [0, 2, 1, b'x']);
    folder.write("other.wasm", bytes);
    let shown = inspect(&folder, "other.wasm");
    assert_eq!((&shown["builtInEngine"], &shown["world"]), (&false.into(), &"local-script".into()));
    let (script, other) = (run(&folder, &["script.js", "Ada"]), run(&folder, &["other.wasm", "Ada"]).exits(0));
    assert_eq!(script.stdout, other.stdout);
}

#[test]
fn a_component_of_another_version_says_what_to_do() {
    let folder = compiled(JOB, &[]);
    let bytes = fs::read(folder.path().join("script.wasm")).expect("the bundle");
    let (from, to) = (b"@0.1.0", b"@0.9.0");
    let mut other = bytes.clone();
    for at in 0..bytes.len() - from.len() {
        if bytes[..at].ends_with(b"ghost:g/store") && bytes[at..].starts_with(from) {
            other[at..at + to.len()].copy_from_slice(to);
        }
    }
    folder.write("other.wasm", other);
    run(&folder, &["other.wasm"]).fails_clearly(2).says(
        "other.wasm: the component was made for version 0.9.0 of ghost:g, and this ghost has version 0.1.0: make it again",
    );
}

#[test]
fn a_script_that_does_not_compile_makes_no_bundle() {
    let folder = Folder::new();
    for (source, message) in
        [("export const main = ( => 1", "SyntaxError"), ("const other = 1", "does not define main")]
    {
        folder.write("script.js", source);
        compile(&folder, &[]).exits(2).says(message);
        assert!(!folder.path().join("script.wasm").exists());
    }
    folder.write("script.ts", "export const main = 1");
    folder.ghost(["compile", "script.ts"]).finish().exits(2).says("script.ts is TypeScript");
    folder.ghost(["compile", "missing.js"]).finish().exits(2).says("missing.js");
    folder.write("script.js", "export const main = () => 1");
    folder.ghost(["compile", "script.js", "-o", "none/b.wasm"]).finish().exits(2).says("none/b.wasm can't be written");
    folder.ghost(["compile", "script.js", "-o", "."]).finish().exits(2).says("it exists and is not a file");
    for same in ["script.js", "./script.js"] {
        let refused = folder.ghost(["compile", "script.js", "-o", same]).finish().exits(2);
        refused.says("script.js is the script itself: name another file with --output");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("script.js")).ok().as_deref(),
        Some("export const main = () => 1")
    );
}

#[test]
fn what_is_no_component_is_named_with_its_file() {
    let folder = Folder::new();
    let module = wat::parse_str("(module (func (export \"run\")))").expect("a module");
    let component =
        wat::parse_str("(component (import \"a:b/c@1.0.0\" (instance (export \"f\" (func)))))").expect("a component");
    let without = wat::parse_str("(component)").expect("a component");
    for (bytes, message) in [
        (&b""[..], "it is empty"),
        (b"\0asm", "it is incomplete"),
        (b"\0asm\x09\0\x01\0", "it is of an unknown version of WebAssembly"),
        (b"not a component", "it is not WebAssembly"),
        (&module, "it is a core module, not a component: build it for wasm32-wasip2"),
        (&component[..component.len() - 1], "it is incomplete or damaged"),
        (&component, "a:b/c"),
        (&without, "run"),
    ] {
        folder.write("file.wasm", bytes);
        for command in [&["run", "file.wasm"][..], &["inspect", "file.wasm"]] {
            let refused = folder.ghost(command.iter().copied()).finish().fails_clearly(2);
            refused.says("file.wasm: ").says(message);
        }
    }
    folder.write("script.js", "export const main = () => 1");
    folder.ghost(["inspect", "script.js"]).finish().exits(2).says("script.js is a script");
    folder.write("script.wasm", "");
    folder.ghost(["compile", "script.wasm"]).finish().exits(2).says("script.wasm is a component already");
}

#[test]
fn what_a_component_imports_and_ghost_does_not_have_is_named() {
    let folder = Folder::new();
    let imports = |names: &[&str]| {
        let imports: String =
            names.iter().map(|name| format!("(import \"{name}\" (instance (export \"f\" (func))))")).collect();
        folder.write("file.wasm", wat::parse_str(format!("(component {imports})")).expect("a component"));
        run(&folder, &["file.wasm"]).fails_clearly(2)
    };
    imports(&["wasi:io/poll@0.2.9", "wasi:sockets/network@0.2.9", "wasi:cli/stdout@0.3.0", "ghost:g/store@0.1.0"]).says(
        "file.wasm: the component imports wasi:sockets/network@0.2.9, wasi:cli/stdout@0.3.0, which ghost does not have: \
         ghost:g and version 0.2 of wasi:cli, wasi:clocks, wasi:filesystem, wasi:io, wasi:random are allowed",
    );
    let many: Vec<_> = (0..2000).map(|number| format!("a:b/c{number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    imports(&many).says("imports a:b/c0, a:b/c1,").says("a:b/c7 and 1992 more, which").never_says("a:b/c8");
    imports(&["ghost:g/unheard@0.1.0"]).says("file.wasm: ").says("ghost:g/unheard@0.1.0");
}

#[test]
fn a_file_of_200_megabytes_is_refused_before_it_is_read() {
    let folder = Folder::new();
    let file = fs::File::create(folder.path().join("large.wasm")).expect("a file");
    file.set_len(200 << 20).expect("a sparse file");
    let refused = run(&folder, &["large.wasm"]).exits(2).says("large.wasm is 200 MiB, the limit is 64 MiB");
    assert!(refused.peak_memory < 60 << 20, "{} bytes", refused.peak_memory);
}
