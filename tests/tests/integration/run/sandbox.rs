//! A script can't leave the sandbox, change it for the next run, or write control characters
//! to the terminal.

use anyhow::Result;
use ghost::{Host, Instances, RunOptions, Script};
use ghost_tests::folder::Folder;

#[test]
fn the_next_run_in_a_folder_is_not_affected() {
    let folder = Folder::new();
    let bombs = ["for (;;) {}", "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length);"];
    for (number, bomb) in bombs.into_iter().enumerate() {
        let source = format!("export function main() {{ g.store.put('c', 'k{number}', 1); {bomb} }}");
        folder.script(["--timeout", "1s", "--max-memory", "32M"], &source).finish().exits(3);
        let count = folder.script([], "export const main = () => g.store.count('c');").finish().exits(0);
        assert_eq!(count.stdout, format!("{}\n", number + 1), "what was stored before the limit stays");
    }
}

#[test]
fn nothing_of_one_run_is_seen_by_the_next() {
    let folder = Folder::new();
    let leave = "export function main() { globalThis.left = 1; Object.prototype.left = 1; Array.prototype.push = 1; JSON.left = 1; }";
    folder.script([], leave).finish().exits(0);
    let look = "export const main = () => [typeof left, typeof ({}).left, typeof [].push, typeof JSON.left];";
    folder.script([], look).finish().exits(0).prints("[\"undefined\",\"undefined\",\"function\",\"undefined\"]\n");
}

#[tokio::test]
async fn a_pooled_instance_shows_nothing_of_the_previous_run() -> Result<()> {
    let host = Host::builder().instances(Instances::Pool(1)).build()?;
    let leave = "export function main(megabytes) { globalThis.left = []; Array.prototype.push = 1; \
                 for (let i = 0; i < megabytes; i++) left[i] = new Uint8Array(1 << 20).fill(255); }";
    let look =
        "export const main = () => [typeof left, typeof [].push, new Uint8Array(8 << 20).every((byte) => byte === 0)];";
    let (leave, look) =
        (Script::from_source(&host, "leave.js", leave).await?, Script::from_source(&host, "look.js", look).await?);
    let expected = host.run(&look, RunOptions::default()).await;
    assert_eq!(expected.result?.as_deref(), Some("[\"undefined\",\"function\",true]"));
    for megabytes in [0, 1, 3, 20] {
        let arguments = vec![megabytes.to_string()];
        host.run(&leave, RunOptions { arguments, ..RunOptions::default() }).await.result?;
        let seen = host.run(&look, RunOptions::default()).await;
        assert_eq!(seen.result?.as_deref(), Some("[\"undefined\",\"function\",true]"), "after {megabytes} MiB");
        assert_eq!(seen.figures.peak_memory, expected.figures.peak_memory, "after {megabytes} MiB");
    }
    Ok(())
}

#[test]
fn prototypes_of_g_give_no_way_to_change_it() {
    let source = r#"
export function main() {
  "use strict";
  const attempts = [
    () => { g.__proto__ = { store: { put() {} } }; },
    () => { g.store.__proto__.put = () => {}; return g.store.put; },
    () => Object.defineProperty(g, "store", { get() { return "forged"; } }),
    () => Object.assign(g.store, { get: () => "forged" }),
    () => Reflect.set(g.store, "get", () => "forged"),
    () => { g.store.get.call = () => "forged"; },
    () => { g.store.get.constructor.prototype.call = () => "forged"; },
    () => { Function.prototype.apply = () => "forged"; },
    () => { delete g.store; },
  ];
  for (const attempt of attempts) { try { attempt(); } catch {} }
  g.store.put("c", "k", "real");
  return g.store.get("c", "k").data;
}
"#;
    Folder::new().script([], source).finish().exits(0).prints("\"real\"\n");
}

#[test]
fn there_is_no_way_to_files_sockets_or_the_environment() {
    let source = r#"
export async function main(secret) {
  const code = [
    "g.store.constructor.name",
    "std.open('/etc/passwd', 'r').readAsString()", "os.readdir('/')", "std.getenv('GHOST_TEST_SECRET')", "os.exec(['id'])", "std.loadFile('/etc/passwd')",
    "scriptArgs[0]", "Javy.IO.readSync(0, new Uint8Array(10))", "require('fs').readFileSync('/etc/passwd')", "process.env.GHOST_TEST_SECRET",
    "process.binding('fs')", "Deno.readTextFileSync('/etc/passwd')", "Deno.env.get('GHOST_TEST_SECRET')", "Bun.file('/etc/passwd')",
    "new XMLHttpRequest()", "new WebSocket('ws://127.0.0.1:1')", "new Worker('x.js')", "WebAssembly.compile(new Uint8Array())", "loadScript('/etc/passwd')",
    "load('/etc/passwd')", "read('/etc/passwd')", "print('x')", "console.constructor.constructor('return process')().env",
  ];
  const reached = [];
  for (const text of code) {
    try { reached.push([text, String(await new Function(`return ${text}`)())]); } catch {}
  }
  for (const name of ["fs", "node:fs", "std", "os", "qjs:std", "qjs:os", "bjson", "file:///etc/passwd", "/etc/passwd", "./script.js", "https://example.com/x.js", "data:text/javascript,export default 1"]) {
    try { reached.push([name, String(await import(name))]); } catch {}
  }
  return reached;
}
"#;
    let finished = Folder::new().script([], source).env("GHOST_TEST_SECRET", "hidden").finish();
    // Code that reaches something is reported.
    finished.exits(0).prints("[[\"g.store.constructor.name\",\"Object\"]]\n").never_says("hidden");
}

#[test]
fn the_stack_of_an_error_names_no_path_of_the_host() {
    let folder = Folder::new();
    let finished = folder.script([], "export function main() {\n  return new Error('x').stack;\n}\n").finish().exits(0);
    assert!(!finished.stdout.contains(folder.path().to_str().expect("a path in UTF-8")), "{finished}");
}

/// Characters that a terminal obeys, or that make text look like other text.
const HOSTILE: [(&str, char); 8] = [
    ("\\x1b", '\x1b'),
    ("\\x07", '\x07'),
    ("\\b", '\x08'),
    ("\\r", '\r'),
    ("\\x7f", '\x7f'),
    ("\\x9b", '\u{9b}'),
    ("\\u202e", '\u{202e}'),
    ("\\u2066", '\u{2066}'),
];

#[test]
fn control_characters_of_an_error_are_never_written_raw() {
    for (escape, character) in HOSTILE {
        for thrown in [
            format!("new Error('a{escape}b')"),
            format!("'a{escape}b'"),
            format!("Object.assign(new Error('m'), {{ name: 'a{escape}b' }})"),
            format!("Object.assign(new Error('m'), {{ code: 'a{escape}b' }})"),
            format!("Object.assign(new Error('m'), {{ stack: 'at a{escape}b (x.js:1)' }})"),
            format!("{{ 'a{escape}b': 'a{escape}b' }}"),
            format!("Object.defineProperty(() => {{ throw new Error('m'); }}, 'name', {{ value: 'a{escape}b' }})()"),
        ] {
            let finished =
                Folder::new().script([], &format!("export function main() {{ throw {thrown}; }}")).finish().exits(1);
            assert!(!finished.stderr.contains(character), "{character:?} was written\n{thrown}\n{:?}", finished.stderr);
        }
    }
}

#[test]
fn control_characters_of_the_source_are_never_written_raw() {
    for (_, character) in HOSTILE.into_iter().filter(|(_, character)| *character != '\r') {
        let thrown = format!("export function main() {{\n  /* {character} */ throw new Error('m');\n}}\n");
        let finished = Folder::new().script([], &thrown).finish().exits(1);
        assert!(!finished.stderr.contains(character), "{character:?} was written\n{:?}", finished.stderr);

        let malformed = format!("export function main() {{\n  /* {character} */ const = 1;\n}}\n");
        let finished = Folder::new().script([], &malformed).finish().exits(2);
        assert!(!finished.stderr.contains(character), "{character:?} was written\n{:?}", finished.stderr);
    }
}

#[test]
fn control_characters_of_arguments_are_never_written_raw() {
    let folder = Folder::new();
    for arguments in [
        ["run", "a\x1b[31m.js"].as_slice(),
        &["run", "--timeout", "\x1b[31m", "x.js"],
        &["\x1b[31m"],
        &["run", "-e", "export const main = (x) => x", "--input", "{\"\x1b\""],
    ] {
        let finished = folder.ghost(arguments.iter().copied()).finish().exits(2);
        assert!(!finished.stderr.contains("\x1b[31m"), "{:?}", finished.stderr);
    }
}
