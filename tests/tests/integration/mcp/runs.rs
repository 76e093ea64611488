//! Runs: their results, their limits, and how they are stopped.

use std::{
    fs,
    time::{Duration, Instant},
};

use ghost_tests::folder::Folder;
use serde_json::{Value, json};

use super::client::{Client, workspace};

#[test]
fn a_result_has_the_value_the_console_and_the_figures() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &[]);
    let result = client.call(
        "run_script",
        json!({
            "source": "export function main(input) {
                console.log('one'); console.error('two\\nthree');
                g.store.put('c', 'k', input); return { got: g.store.get('c', 'k').data };
            }",
            "input": { "b": [1, null, "é"] },
        }),
    );
    assert_eq!(result["isError"], false);
    let content = &result["structuredContent"];
    assert_eq!(content["value"], json!({ "got": { "b": [1, null, "é"] } }));
    assert_eq!(content["size"], r#"{"got":{"b":[1,null,"é"]}}"#.chars().count());
    let console = json!([{ "level": "info", "text": "one" }, { "level": "error", "text": "two\nthree" }]);
    assert_eq!(content["console"], console);
    assert_eq!(content["figures"]["hostCalls"], 2);
    assert!(content["figures"]["timeMs"].as_f64().unwrap() > 0.0);
    assert_eq!(client.run("export function main() {}")["value"], Value::Null);
    assert_eq!(client.value("export const main = (...given) => given"), json!([]));
    let null = client.call("run_script", json!({ "source": "export const main = (...given) => given", "input": null }));
    assert_eq!(null["structuredContent"]["value"], json!([null]));
    client.send_bytes(
        br#"{"jsonrpc":"2.0","id":"raw","method":"tools/call","params":{"name":"run_script","arguments":{"input":{"b":1,"a":2},
            "source":"export const main = (input) => Object.keys(input).join()"}}}"#
            .map(|byte| if byte == b'\n' { b' ' } else { byte })
            .as_slice(),
    );
    client.send_bytes(b"\n");
    assert_eq!(client.next()["result"]["structuredContent"]["value"], "b,a", "the order of members is kept");
    client.ends_well();
}

#[test]
fn a_value_that_is_too_large_is_cut_and_says_so_first() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let id = client.begin(
        "tools/call",
        json!({ "name": "run_script", "arguments": { "source": "export const main = () => 'é'.repeat(30_000)" } }),
    );
    let line = client.line().unwrap();
    assert!(line.contains(r#""structuredContent":{"truncated":true,"#), "{line:.300}");
    assert!(line.contains(r#""text":"{\"truncated\":true,"#), "{line:.300}");
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["id"], id);
    let content = &answer["result"]["structuredContent"];
    assert_eq!((&content["size"], &content["value"]), (&json!(30_002), &Value::Null));
    let preview = content["preview"].as_str().unwrap().chars().count();
    assert!((20_000..24_000).contains(&preview), "{preview}");
    assert!(content["console"].to_string().contains("return less"), "{:?}", content["console"]);
    // A value that only looks like a cut one is a value.
    let value = client.value("export const main = () => ({ truncated: true, size: 1, preview: '' })");
    assert_eq!(value["size"], 1);
    client.ends_well();
}

#[test]
fn an_error_has_a_code_a_position_and_a_hint() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &["--timeout", "3s"]);
    let mut error = |source: &str| {
        let result = client.call("run_script", json!({ "source": source }));
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"]["error"].clone()
    };
    let thrown = error("export function main() {\n  throw new RangeError('too far');\n}");
    assert_eq!((&thrown["code"], &thrown["name"]), (&json!("EXCEPTION"), &json!("RangeError")), "{thrown}");
    assert_eq!((&thrown["message"], &thrown["position"]["line"]), (&json!("too far"), &json!(2)), "{thrown}");
    assert!(thrown["stack"][0].as_str().unwrap().contains("script.js:2:"), "{thrown}");
    for (source, code, hint) in [
        ("export const main = () => g.search.query('a AND')", "QUERY_SYNTAX", "query-language"),
        ("export const main = () => g.store.put()", "INVALID_ARGUMENT", "describe_api"),
        ("export const main = () => g.sqldb.query('db', 'select 1')", "BLOCKED", "ghost run"),
        ("export const main = () => new Promise(() => {})", "STALLED", "promise"),
        ("export const main = () => { for (;;) {} }", "TIME_LIMIT", "several runs"),
        (
            "export const main = () => { const all = []; for (;;) all.push(new Uint8Array(4e6)) }",
            "MEMORY_LIMIT",
            "pages",
        ),
        ("export const main = ;", "NOT_COMPILED", "export function main"),
        ("const x = 1;", "NOT_COMPILED", "export function main"),
    ] {
        let failed = error(source);
        assert_eq!(failed["code"], code, "{source}: {failed}");
        assert!(failed["hint"].as_str().unwrap_or_default().contains(hint), "{source}: {failed}");
    }
    client.ends_well();
}

#[test]
fn a_client_can_shorten_the_time_of_a_run_only() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &["--timeout", "2s"]);
    let source = "export const main = () => { for (;;) {} }";
    let stopped = client.call("run_script", json!({ "source": source, "timeout": 0.2 }));
    let error = &stopped["structuredContent"]["error"];
    assert_eq!(error["code"], "TIME_LIMIT");
    assert!(error["message"].as_str().unwrap().contains("200ms"), "{error}");
    for timeout in [json!(3), json!(0), json!(-1), json!(1e300), json!("1s")] {
        let refused = client.call("run_script", json!({ "source": source, "timeout": timeout }));
        assert_eq!(refused["structuredContent"]["error"]["code"], "INVALID_ARGUMENT", "{timeout}: {refused}");
    }
    client.ends_well();
}

#[test]
fn nothing_external_can_be_reached() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &[]);
    let codes = client.value(
        "export async function main() {
            const codes = {};
            for (const name of ['objectstore', 'documentdb', 'sqldb', 'clustersearch'])
                for (const method of Object.keys(g[name]).filter((name) => /^[a-z]/.test(name)))
                    codes[(await g[name][method]('conn', 'x').then(() => 'reached', (error) => error.code))] = name;
            for (const name of ['fetch', 'require', 'process', 'Deno'])
                try { globalThis[name].x; codes[name] = 'reached' } catch {}
            return Object.keys(codes);
        }",
    );
    assert_eq!(codes, json!(["BLOCKED"]));
    let import = client.run("import fs from 'fs'; export const main = () => 1");
    assert!(import["error"]["message"].is_string(), "{import}");
    client.ends_well();
}

#[test]
fn no_workspace_is_created() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let failed = client.run("export const main = () => g.store.count('c')");
    assert_eq!(failed["error"]["code"], "NO_WORKSPACE", "{failed}");
    assert!(failed["error"].to_string().contains("ghost init"), "{failed}");
    assert!(!folder.path().join(".ghost").exists());
    // One that is created meanwhile is found.
    folder.ghost(["init"]).finish().exits(0);
    assert_eq!(client.value("export const main = () => g.store.count('c')"), 0);
    client.ends_well();
    let mut client = Client::connect(&folder, &["--no-workspace"]);
    assert_eq!(client.run("export const main = () => g.store.count('c')")["error"]["code"], "NO_WORKSPACE");
    client.ends_well();
    folder.ghost(["mcp", "--workspace", "missing"]).finish().fails_clearly(2).says("missing");
}

#[test]
fn the_console_is_progress_if_the_client_asks_for_it() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    let source = "export async function main() {
        for (let i = 0; i < 5; i++) { console.log('step ' + i); await new Promise((done) => setTimeout(done, 30)); }
    }";
    let arguments = json!({ "source": source });
    let result = client.result(
        "tools/call",
        json!({ "name": "run_script", "arguments": arguments, "_meta": { "progressToken": "p1" } }),
    );
    assert_eq!(result["structuredContent"]["console"].as_array().unwrap().len(), 5, "{result}");
    let progress: Vec<_> = client.others.drain(..).collect();
    assert!(progress.len() > 1 && progress.len() <= 5, "{progress:?}");
    let messages: Vec<_> = progress.iter().map(|note| note["params"]["message"].as_str().unwrap()).collect();
    assert_eq!(messages.join("\n"), "step 0\nstep 1\nstep 2\nstep 3\nstep 4");
    for (notes, pair) in progress.windows(2).enumerate() {
        assert!(pair[0]["params"]["progress"].as_f64() < pair[1]["params"]["progress"].as_f64(), "{notes}");
    }
    assert!(progress.iter().all(|note| note["method"] == "notifications/progress"));
    assert!(progress.iter().all(|note| note["params"]["progressToken"] == "p1"));
    // Without a token, there is none.
    client.call("run_script", json!({ "source": source }));
    assert!(client.others.is_empty(), "{:?}", client.others);
    client.ends_well();
}

/// The outcomes in the file of `--log`, once it has this many lines.
fn outcomes(folder: &Folder, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let text = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        if lines.len() >= count {
            return lines;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{text}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_cancelled_run_stops_and_frees_its_place() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &["--log", "log", "--timeout", "10m"]);
    let source = "export const main = () => { for (;;) {} }";
    // More than run at a time, so that some are waiting.
    let ids: Vec<_> = (0..20)
        .map(|_| client.begin("tools/call", json!({ "name": "run_script", "arguments": { "source": source } })))
        .collect();
    assert_eq!(client.result("ping", json!({})), json!({}));
    for id in &ids {
        let cancelled = json!({ "requestId": id, "reason": "the user changed their mind" });
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    }
    let started = Instant::now();
    assert_eq!(client.value("export const main = () => 1"), 1);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let lines = outcomes(&folder, 21);
    assert_eq!(lines.iter().filter(|line| line["outcome"] == "CANCELLED").count(), 20);
    // A cancelled request has no answer.
    client.ends_well();
}

#[test]
fn the_runs_of_a_client_that_is_gone_are_stopped() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &["--log", "log", "--timeout", "10m"]);
    let source = "export async function main() {
        g.queue.enqueue('q', 1); g.queue.dequeue('q'); console.log('began');
        for (;;) await new Promise((done) => setTimeout(done, 10));
    }";
    let call = json!({ "name": "run_script", "arguments": { "source": source }, "_meta": { "progressToken": 1 } });
    client.begin("tools/call", call);
    assert_eq!(client.next()["params"]["message"], "began");
    let started = Instant::now();
    let (status, _, stderr) = client.end();
    assert!(status.success() && stderr.is_empty(), "{status} {stderr}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(outcomes(&folder, 1)[0]["outcome"], "CANCELLED");
    // What it had checked out is back.
    folder.ghost(["run", "-e", "export const main = () => g.queue.count('q')"]).finish().exits(0).prints("1\n");
}

#[test]
fn the_log_has_a_line_for_each_run_and_no_data() {
    let folder = workspace();
    let mut client = Client::connect(&folder, &["--log", "log"]);
    let source = "export const main = (input) => g.store.put('secret collection', 'k', input)";
    client.call("run_script", json!({ "source": source, "input": "secret input" }));
    client.run("export const main = () => { throw new Error('secret error') }");
    client.run("export const main = () => 'x'.repeat(30_000)");
    client.run("export main");
    client.ends_well();
    let lines = outcomes(&folder, 4);
    let ended: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(ended, ["ok", "EXCEPTION", "truncated", "NOT_COMPILED"]);
    // sha256 of the source
    assert_eq!(lines[0]["sourceSha256"].as_str().unwrap().len(), 64);
    assert_eq!((&lines[0]["hostCalls"], &lines[0]["commits"]), (&json!(1), &json!(1)), "{}", lines[0]);
    let text = fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(!text.contains("secret") && !text.contains("main"), "{text}");
    folder.ghost(["mcp", "--log", "missing/log"]).finish().fails_clearly(2).says("missing/log");
}

#[test]
fn whatever_a_script_prints_standard_output_carries_only_the_protocol() {
    let folder = Folder::new();
    let mut client = Client::connect(&folder, &[]);
    // Each line of standard output is parsed, so a stray one would fail this test.
    let printed = client.run(
        "export async function main() {
            for (const write of ['log', 'info', 'warn', 'error', 'debug'])
                console[write]('{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\\n\\x1b[2J\\u0000');
            console.table([{ a: 1 }]); console.assert(false, 'no'); console.time('t'); console.timeEnd('t');
            for (let i = 0; i < 100_000; i++) console.log('x'.repeat(100));
        }",
    );
    assert!(printed["console"].to_string().len() < 80_000);
    assert_eq!(client.value("export const main = () => 1"), 1);
    client.ends_well();
}
