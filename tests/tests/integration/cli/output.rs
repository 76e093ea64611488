//! The output of a run (the result, the console, errors) to a program, to a terminal, and to an AI client.

use std::{
    io::Read,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use ghost_tests::{folder::Folder, program::binary};

#[test]
fn the_result_is_one_line_when_it_goes_to_a_program() {
    let source = "export const main = () => ({ a: [1, 2], b: { c: 'ü' }, e: [], f: {} });";
    let expected = "{\"a\":[1,2],\"b\":{\"c\":\"ü\"},\"e\":[],\"f\":{}}\n";
    Folder::new().script([], source).finish().exits(0).prints(expected);
}

/// Both outputs of `ghost run` on a terminal.
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
fn a_reader_that_closes_the_pipe_early_is_no_error() {
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

const TALKS: &str = "export const main = () => { for (let i = 0; i < 100; i++) console.log('x'.repeat(10_000)); };";
const TALKS_ON: &str = "export const main = () => { for (;;) console.log('x'.repeat(10_000)); };";

/// A program whose console is not read, after it has filled its pipe.
fn unread(flags: &[&str], source: &str) -> (Folder, Child) {
    let folder = Folder::new();
    folder.write("script.js", source);
    let mut command = Command::new(binary());
    command.args(["run"]).args(flags).arg("script.js").current_dir(folder.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stderr.as_mut().expect("a pipe").read_exact(&mut [0]).expect("it writes");
    std::thread::sleep(Duration::from_millis(200));
    (folder, child)
}

/// The exit status of a program that has to end soon.
#[track_caller]
fn ends(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code();
        }
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().expect("it runs");
            panic!("it goes on although nobody reads it");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_unread_console_does_not_delay_the_time_limit() {
    for source in [TALKS, TALKS_ON] {
        let (_folder, mut child) = unread(&["--timeout", "1s"], source);
        assert_eq!(ends(&mut child), Some(3), "{source}");
    }
}

#[test]
fn an_unread_console_does_not_delay_an_interruption() {
    for source in [TALKS, TALKS_ON] {
        let (_folder, mut child) = unread(&[], source);
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        assert_eq!(ends(&mut child), Some(130), "{source}");
    }
}

#[test]
fn an_unread_result_is_discarded_on_interruption() {
    let folder = Folder::new();
    let source = "export const main = () => 'x'.repeat(1 << 20);";
    let mut command = Command::new(binary());
    command.args(["run", "-e", source]).current_dir(folder.path()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("it writes");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(ends(&mut child), Some(130));
}

#[test]
fn a_slow_reader_gets_the_whole_console() {
    let source = "export const main = () => { for (let i = 0; i < 100; i++) console.log('x'.repeat(10_000)); throw new Error('the end'); };";
    let (_folder, mut child) = unread(&[], source);
    let mut rest = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut rest).expect("text");
    assert_eq!(ends(&mut child), Some(1));
    assert_eq!(rest.lines().filter(|line| line.len() >= 9_999 && line.chars().all(|c| c == 'x')).count(), 100);
    assert!(rest.contains("the end"));
}

#[test]
fn a_result_that_can_not_be_written_is_a_failure() {
    let folder = Folder::new();
    folder.write("result.js", "export const main = () => 1;");
    for command in ["run result.js", "types", "completions bash", "init"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("'{}' {command} >/dev/full", binary().display())]);
        folder.command(shell).finish().exits(1).says("standard output can't be written").never_says("panicked");
    }
}

#[test]
fn a_result_over_64_mib_is_refused() {
    let source = "export const main = () => 'x'.repeat((64 << 20) - 1);";
    let finished = Folder::new().script(["--max-memory", "1G"], source).finish().exits(3).prints("");
    finished.says("67108865").says("67108864");
}

#[test]
fn values_beyond_all_limits_are_told_as_such() {
    let large = |call: &str| format!("export const main = () => {{ const large = 'x'.repeat(135e6); {call}; }}");
    let run =
        |call: &str| Folder::new().script(["--max-memory", "2G"], &large(call)).finish().never_says("internal error");
    run("return large").exits(3).prints("").says("the result is 135000002 bytes, the limit is 67108864");
    run("console.log(large); return 1").exits(0).prints("1\n").says("135000001 bytes of console output were dropped");
    run("console.log({ large }); return 1").exits(0).says("... 134990000 more characters");
    for call in
        ["store.put('c', 'k', large)", "store.get(large, 'k')", "queue.enqueue('q', large)", "queue.dequeue(large)"]
    {
        run(&format!("return g.{call}")).exits(1).prints("").says("INVALID_ARGUMENT").says("the limit is");
    }
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
fn verbose_reports_the_cost_of_the_run() {
    let source = "export const main = () => { g.store.put('c', 'k', 1); return g.store.count('c'); };";
    let finished = Folder::new().script(["--verbose"], source).finish().exits(0).prints("1\n");
    finished.says("time ").says(", peak memory ").says(" MiB, 2 calls of g, ").says(" commit");
}

#[test]
fn the_column_of_a_frame_is_never_wrong() {
    // One statement a line, so that a column can be reported right from wrong: it lies inside the statement that threw.
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
