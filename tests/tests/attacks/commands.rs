//! The command line: hostile arguments, inputs, terminals, pipes and signals.

use std::{process::Command, thread, time::Duration};

use anyhow::ensure;
use ghost_tests::{folder::Folder, program};

use crate::attack::{Attack, Contract, Seen, is_hostile};

const ECHO: &str = "export const main = (...given) => JSON.stringify(given).length";

fn input(name: &'static str, exits: &'static [i32], flags: &'static [&'static str], text: fn() -> Vec<u8>) -> Attack {
    Attack::new("commands", name, move || {
        let folder = Folder::new();
        let mut all = vec!["run", "--timeout", "4s", "--max-memory", "64M", "--input", "-"];
        all.extend(flags);
        all.extend(["-e", ECHO]);
        let finished = folder.ghost(all).stdin(text()).finish();
        Contract::exits(exits).within(Duration::from_secs(4)).with_memory(64 << 20).check(&finished)
    })
}

fn inputs() -> Vec<Attack> {
    vec![
        input("JSON nested a million deep as input", &[0, 1, 2, 3], &[], || {
            [b"[".repeat(1_000_000), b"]".repeat(1_000_000)].concat()
        }),
        input("300 MB of JSON as input for a script of 64 MiB", &[2, 3], &[], || {
            [b"[".to_vec(), b"1,".repeat(150 << 20), b"1]".to_vec()].concat()
        }),
        input("input that is no UTF-8, and begins with a mark of UTF-16", &[0, 2], &[], || {
            vec![0xff, 0xfe, b'1', 0, 0xd8, 0x00]
        }),
        input("numbers, keys and escapes of JSON at their edges", &[0, 2], &[], || {
            br#"{"__proto__":1,"a":1,"a":2,"n":1e9999,"s":"\ud800\u0000","\u202e":-0}"#.to_vec()
        }),
        input("CSV with a quote that does not end", &[0, 2, 3], &["--input-format", "csv"], || {
            [b"a,b\n\"".to_vec(), b"x,\n".repeat(5 << 20)].concat()
        }),
        input("CSV with a hundred thousand columns", &[0, 1, 2, 3], &["--input-format", "csv"], || {
            [b"a,".repeat(100_000), b"z\n".to_vec(), [b"1,".repeat(100_000), b"2\n".to_vec()].concat().repeat(20)]
                .concat()
        }),
        input("CSV whose header is __proto__ and twice the same", &[0, 2], &["--input-format", "csv"], || {
            b"__proto__,a,a,constructor\n1,2,3,4\n".to_vec()
        }),
        input(
            "JSON Lines with one line of 100 MB and a million empty ones",
            &[0, 2, 3],
            &["--input-format", "jsonl"],
            || [b"\n".repeat(1_000_000), b"\"".to_vec(), vec![b'x'; 100 << 20], b"\"\n".to_vec()].concat(),
        ),
        input("a text of 300 MB", &[2, 3], &["--input-format", "text"], || vec![b'x'; 300 << 20]),
    ]
}

fn simple(name: &'static str, exits: &'static [i32], arguments: &'static [&'static str]) -> Attack {
    Attack::new("commands", name, move || {
        let folder = Folder::new();
        let made = folder
            .ghost(["run", "-e", "export const main = () => { g.store.put('c', 'k', 1); g.queue.enqueue('q', 1); }"])
            .finish();
        ensure!(made.status.code() == Some(0), "{made}");
        let seen = Contract::exits(exits).check(&folder.ghost(arguments.iter().copied()).finish())?;
        let count = folder.ghost(["store", "count", "c"]).finish();
        ensure!(count.stdout.trim() == "1", "the document is gone\n{count}");
        Ok(seen)
    })
}

fn arguments() -> Vec<Attack> {
    vec![
        simple(
            "durations and sizes beyond all bounds",
            &[0, 2],
            &["run", "--timeout", "99999999999999999999h", "--max-memory", "18446744073709551616", "-e", ECHO],
        ),
        simple("a limit of no time", &[2, 3], &["run", "--timeout", "0s", "-e", ECHO]),
        simple("a limit of no memory", &[2, 3], &["run", "--max-memory", "0", "-e", ECHO]),
        simple(
            "a limit of memory that the machine does not have",
            &[0, 2, 3],
            &["run", "--max-memory", "1000G", "-e", ECHO],
        ),
        simple("escapes of a terminal in every argument", &[2], &["\x1b[2Jrun", "\x1b]0;x\x07", "\u{202e}"]),
        simple("a typo of a command that destroys names none that does", &[2], &["store", "claer", "c"]),
        simple("a script that is a folder, a device, and a file that is not there", &[2], &["run", "/dev"]),
        simple("a script that never ends to be read", &[2, 3], &["run", "--timeout", "3s", "/dev/zero"]),
        simple(
            "names of collections and keys that look like flags and paths",
            &[0, 1, 2],
            &["store", "get", "--", "--yes", "../../etc/passwd"],
        ),
        simple("a backup to a place that can't be written to", &[1, 2], &["workspace", "backup", "/proc/backup"]),
        simple(
            "a workspace at a place that can't be one",
            &[1, 2],
            &["store", "put", "--workspace", "/proc/self", "c", "k", "1"],
        ),
        simple(
            "an option of a hundred kilobytes",
            &[2],
            &["store", "list", "c", "--limit", "999999999999999999999999999999999999999999999999"],
        ),
    ]
}

/// On a terminal, a command deletes only after a yes; without a terminal, the command line is the answer.
fn clearing() -> Attack {
    Attack::new(
        "commands",
        "clear on a terminal keeps everything but for a yes, and without one does what it is told",
        || {
            let folder = Folder::new();
            let source = "export const main = () => { g.store.put('c', 'k', 1); g.queue.enqueue('q', 1); }";
            ensure!(folder.ghost(["run", "-e", source]).finish().status.code() == Some(0), "nothing was made");
            let mut seen = Seen::default();
            for (command, count, nothing) in
                [("store clear c", ["store", "count", "c"], 1), ("queue clear q", ["queue", "show", "q"], 1)]
            {
                let left = || folder.ghost(count).finish();
                for answer in ["", "\n", "n\n", "\0\n", "yes please\n", "--yes\n", "\x1b[A\n", "\u{202e}y\n"] {
                    let asked = folder.on_a_terminal("-echo", command).stdin(answer).finish();
                    ensure!(asked.stdout.contains("[y/N] "), "it did not ask\n{asked}");
                    seen = seen.and(Contract::exits(&[1]).check(&asked)?);
                    ensure!(left().status.code() == Some(0), "{answer:?} was taken for a yes\n{asked}");
                }
                let done = folder.ghost(command.split(' ')).finish();
                seen = seen.and(Contract::exits(&[0]).check(&done)?);
                ensure!(left().status.code() == Some(nothing), "nothing was deleted\n{done}");
            }
            Ok(seen)
        },
    )
}

/// The output on a terminal of a command that shows what a script stored or printed.
fn on_a_terminal(name: &'static str, command: &'static str) -> Attack {
    Attack::new("commands", name, move || {
        let folder = Folder::new();
        let hostile = "\\x1b[2J\\x1b]0;x\\x07\\r\\x9b31m\\u202e\\u2066\\u2028\\u200b\\u{e0041}\\x7f";
        folder.write("fill.js", format!("const h = 'h{hostile}h'; export function main() {{ g.store.put('c', 'k\\u202e\\u200b', {{ [h]: h }}); g.queue.enqueue('q', h, {{ maxRetries: 0 }}); g.queue.abort(g.queue.dequeue('q').id, h); g.search.index({{ _collection: 'c', _key: 'k', a: 'word ' + h, [h]: 'word' }}); }}"));
        folder.write("say.js", format!("const h = 'h{hostile}h'; export function main(how) {{ if (how === 'log') {{ console.log(h); console.table([{{ [h]: h }}]); console.error('%s', {{ [h]: [h] }}); return; }} if (how === 'throw') {{ const error = new Error(h); error.name = h; throw error; }} if (how === 'stack') {{ const name = {{ [h]() {{ throw h; }} }}; Object.values(name)[0](); }} if (how === 'query') g.store.search('c', 'a' + h + ' AND AND'); if (how === 'option') g.store.list('c', {{ [h]: 1 }}); if (how === 'code') throw Object.assign(new Error('x'), {{ code: h, namespace: h, method: h, details: {{ [h]: h }} }}); return {{ [h]: h }}; }}"));
        let filled = folder.ghost(["run", "fill.js"]).finish();
        ensure!(filled.status.code() == Some(0), "{filled}");
        let finished = folder.on_a_terminal("-onlcr", command).finish();
        let seen = Contract::exits(&[0, 1, 2]).check(&finished)?;
        let raw = finished.stdout.chars().find(|character| is_hostile(*character));
        ensure!(raw.is_none(), "{raw:?} was written raw\n{:?}", finished.stdout);
        ensure!(finished.stdout.contains("[2J"), "nothing hostile was shown\n{finished}");
        Ok(seen)
    })
}

fn terminals() -> Vec<Attack> {
    vec![
        clearing(),
        on_a_terminal("a terminal is shown a hostile result", "run say.js"),
        on_a_terminal("a terminal is shown a hostile console", "run say.js log"),
        on_a_terminal("a terminal is shown a hostile error", "run say.js throw"),
        on_a_terminal("a terminal is shown a hostile stack", "run say.js stack"),
        on_a_terminal("a terminal is shown hostile fields of an error", "run say.js code"),
        on_a_terminal("a terminal is shown a query with a hostile place", "run say.js query"),
        on_a_terminal("a terminal is shown a hostile option", "run say.js option"),
        on_a_terminal("a terminal is shown hostile documents in a table", "store list c"),
        on_a_terminal("a terminal is shown an export of hostile documents", "store export"),
        on_a_terminal("a terminal is shown a hostile dead letter", "queue dead q"),
        on_a_terminal("a terminal is shown hostile marks of a search", "search query word"),
    ]
}

/// A signal in the middle of something.
fn interrupted(
    name: &'static str,
    source: &'static str,
    after: u64,
    signals: &'static [i32],
    exits: &'static [i32],
) -> Attack {
    Attack::new("commands", name, move || {
        let folder = Folder::new();
        let mut running = folder.script(["--timeout", "20s"], source).start();
        running.until_it_says("begun");
        for signal in signals {
            thread::sleep(Duration::from_millis(after));
            if running.is_alive() {
                running.signal(*signal);
            }
        }
        let seen = Contract::exits(exits).within(Duration::from_secs(4)).check(&running.finish())?;
        let checked = folder.ghost(["workspace", "check"]).finish();
        Contract::exits(&[0]).check(&checked)?;
        Ok(seen)
    })
}

fn signals() -> Vec<Attack> {
    let loops = "export function main() { g.store.put('c', 'k', 1); console.log('begun'); for (;;) { try { for (;;); } catch {} } }";
    vec![
        interrupted("a script that catches everything is interrupted", loops, 50, &[libc::SIGINT], &[130]),
        interrupted("a run is told to end by SIGTERM", loops, 50, &[libc::SIGTERM], &[130, 143]),
        interrupted(
            "a run is interrupted three times in a row",
            loops,
            5,
            &[libc::SIGINT, libc::SIGINT, libc::SIGINT],
            &[130],
        ),
        interrupted(
            "a run that searches is interrupted",
            "export function main() { for (let i = 0; i < 3000; i++) g.store.put('c', `k${i}`, 'word '.repeat(200) + i); console.log('begun'); for (;;) g.store.search('c', 'w* AND word', { sort: 'key' }); }",
            100,
            &[libc::SIGINT],
            &[130],
        ),
        interrupted(
            "a run that waits for an item is interrupted",
            "export async function main() { g.store.put('c', 'k', 1); console.log('begun'); await g.queue.waitForItem('q'); }",
            20,
            &[libc::SIGINT],
            &[130],
        ),
        Attack::new("commands", "compiling a script that takes for ever is interrupted", || {
            let folder = Folder::new();
            folder.write("script.js", format!("export const main = () => {}1;", "a?b:(".repeat(400_000)));
            let running = folder.ghost(["run", "--timeout", "20s", "script.js"]).start();
            thread::sleep(Duration::from_millis(60));
            if running.is_alive() {
                running.signal(libc::SIGINT);
            }
            Contract::exits(&[2, 3, 130]).within(Duration::from_secs(3)).check(&running.finish())
        }),
        Attack::new("commands", "a source of 60 MB is compiled in the run's time and memory", || {
            let folder = Folder::new();
            folder.write(
                "script.js",
                format!("export function main() {{}}\n{}", "var a = { b: [1, 2, 'c'] };\n".repeat(2_200_000)),
            );
            let finished = folder.ghost(["run", "--timeout", "2s", "--max-memory", "64M", "script.js"]).finish();
            Contract::exits(&[2, 3])
                .within(Duration::from_secs(2))
                .with_memory((64 << 20) + (60 << 20))
                .check(&finished)
        }),
        Attack::new("commands", "every output is closed before the program begins", || {
            let folder = Folder::new();
            let mut shell = Command::new("sh");
            shell.args(["-c", "\"$0\" run -e \"export const main = () => { g.store.put('c', 'k', 1); console.log(1); return 1; }\" <&- >&- 2>&-; echo $?"]).arg(program::binary());
            let finished = folder.command(shell).finish();
            ensure!(["0", "1", "2"].contains(&finished.stdout.trim()), "{finished}");
            // What is opened next must not become an output: a line of the console in the database would be lost data.
            let count = folder.ghost(["workspace", "check"]).finish();
            Contract::exits(&[0, 1]).check(&count)?;
            Ok(Seen::of(&finished))
        }),
        Attack::new("commands", "the reader of the result leaves in the middle", || {
            let folder = Folder::new();
            let mut shell = Command::new("sh");
            shell.args(["-c", "\"$0\" run -e \"export const main = () => 'x'.repeat(30 << 20)\" | head -c 10 >/dev/null; \"$0\" run -e \"export const main = () => { for (;;) console.log('y'.repeat(1000)); }\" --timeout 1s 2>&1 | head -c 10 > /dev/null"]).arg(program::binary());
            let finished = folder.command(shell).finish();
            ensure!(finished.time < Duration::from_secs(15), "{finished}");
            Contract::exits(&[0]).check(&finished)
        }),
    ]
}

pub fn all() -> Vec<Attack> {
    let mut all: Vec<Attack> = [inputs(), arguments(), terminals(), signals()].into_iter().flatten().collect();
    all.extend(imports());
    all
}

fn imports() -> Vec<Attack> {
    let import = |name, text: fn() -> Vec<u8>| {
        Attack::new("commands", name, move || {
            let folder = Folder::new();
            let finished = folder.ghost(["store", "import", "-"]).stdin(text()).finish();
            Contract::exits(&[0, 1, 2]).within(Duration::from_secs(10)).check(&finished)
        })
    };
    vec![
        import("documents are imported of which a line is nested a million deep", || {
            [
                b"{\"collection\":\"c\",\"key\":\"k\",\"data\":".to_vec(),
                b"[".repeat(1_000_000),
                b"]".repeat(1_000_000),
                b"}\n".to_vec(),
            ]
            .concat()
        }),
        import("documents are imported of which a line has 100 MB and no end", || {
            [b"{\"collection\":\"".to_vec(), vec![b'x'; 100 << 20]].concat()
        }),
        import("documents are imported with names and times that none can have", || {
            b"{\"collection\":\"\\u0000\",\"key\":\"k\",\"data\":1}\n{\"collection\":\"c\",\"key\":\"k\",\"data\":1,\"createdAt\":\"+275760-09-13T00:00:00.001Z\",\"updatedAt\":\"\\u001b[31m\"}\n".to_vec()
        }),
    ]
}
