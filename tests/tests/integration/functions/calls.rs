//! What a script passes, and what it receives.

use std::sync::Arc;

use anyhow::Result;
use ghost::{Error, ErrorCode, Host, Limits, Origin, RunOptions, Script, bundle, functions::Functions};
use serde_json::{Value, json};
use tokio::task::{JoinSet, yield_now};

use super::{caught, host, run, run_with};

/// Functions of both kinds with the same behaviour.
fn echo() -> Functions {
    let fail = |code: String| {
        let code = match code.as_str() {
            "invalid" => ErrorCode::InvalidArgument,
            "kind" => ErrorCode::WrongKind,
            "conflict" => ErrorCode::Conflict,
            _ => ErrorCode::Internal,
        };
        let mut error = Error::new(code, "the message");
        error.details = Some(json!({ "at": 7 }));
        Err::<(), _>(error)
    };
    Functions::new("echo")
        .function("now", |call| call.arguments::<Vec<Value>>())
        .async_function("later", |call| async move {
            yield_now().await;
            call.arguments::<Vec<Value>>()
        })
        .function("nothing", |_| Ok(()))
        .function("fail", move |call| fail(call.arguments::<(String,)>()?.0))
        .async_function("failLater", move |call| async move { fail(call.arguments::<(String,)>()?.0) })
}

#[tokio::test]
async fn values_go_in_and_out() -> Result<()> {
    let host = host(echo());
    let values = r#"null, true, -1.5, "ä\u0000😀", [[], {}], { a: { b: [1, "2"] }, "__proto__x": 1 }"#;
    let expected = json!([null, true, -1.5, "ä\0😀", [[], {}], { "a": { "b": [1, "2"] }, "__proto__x": 1 }]);
    assert_eq!(run(&host, &format!("return g.echo.now({values})")).await?, expected);
    assert_eq!(run(&host, &format!("return await g.echo.later({values})")).await?, expected);
    assert_eq!(run(&host, "return [g.echo.nothing(), g.echo.now()]").await?, json!([null, []]));
    let kinds = "return [g.echo.later(1) instanceof Promise, g.echo.now(1) instanceof Array, g.echo.now.name]";
    assert_eq!(run(&host, kinds).await?, json!([true, true, "now"]));
    Ok(())
}

#[tokio::test]
async fn the_namespace_is_one_of_g() -> Result<()> {
    let host = host(echo());
    let script = "return [Object.keys(g).at(-1), Object.keys(g.echo), Object.isFrozen(g) && Object.isFrozen(g.echo.now), typeof g.echo.nowx]";
    let names = ["now", "later", "nothing", "fail", "failLater"];
    assert_eq!(run(&host, script).await?, json!(["echo", names, true, "undefined"]));
    let message = run(&host, &caught("g.echo.nowx(1)")).await?;
    assert_eq!(message[0], "TypeError", "{message}");
    // A host without functions has neither them nor a trace of the interface.
    let plain = run(&Host::new()?, "return [typeof g.echo, typeof g.functions, Object.isFrozen(g)]").await?;
    assert_eq!(plain, json!(["undefined", "undefined", true]));
    Ok(())
}

#[tokio::test]
async fn what_json_can_not_hold_is_refused_with_its_path() -> Result<()> {
    let host = host(echo());
    for (argument, message) in [
        ("undefined", "arguments[1] is undefined, which JSON can't hold"),
        ("{ a: [1, 10n] }", "arguments[1].a[1] is a BigInt, which JSON can't hold"),
        ("NaN", "arguments[1] is NaN, which JSON can't hold"),
    ] {
        for name in ["now", "later"] {
            let seen = run(&host, &caught(&format!("g.echo.{name}(1, {argument})"))).await?;
            assert_eq!(seen, json!(["TypeError", "INVALID_ARGUMENT", "echo", name, message, null]));
        }
    }
    let cycle = run(&host, &format!("const a = {{}}; a.self = a; {}", caught("g.echo.later(a)"))).await?;
    assert!(cycle[4].as_str().is_some_and(|message| message.contains("cycle")), "{cycle}");
    Ok(())
}

#[tokio::test]
async fn errors_are_those_of_g() -> Result<()> {
    let host = host(echo());
    for name in ["fail", "failLater"] {
        let error = async |code: &str| run(&host, &caught(&format!("g.echo.{name}({code:?})"))).await;
        let expected = |class, code| json!([class, code, "echo", name, "the message", { "at": 7 }]);
        assert_eq!(error("conflict").await?, expected("GError", "CONFLICT"));
        assert_eq!(error("invalid").await?, expected("RangeError", "INVALID_ARGUMENT"));
        assert_eq!(error("kind").await?, expected("TypeError", "INVALID_ARGUMENT"));
        let internal = error("internal").await?;
        assert_eq!((&internal[0], &internal[1]), (&json!("GError"), &json!("INTERNAL")));
        assert!(internal[4].as_str().is_some_and(|text| text.starts_with("internal error (reference ")), "{internal}");
        let wrong = run(&host, &caught(&format!("g.echo.{name}(1)"))).await?;
        assert_eq!(wrong[4], "arguments[0]: invalid type: integer `1`, expected a string");
        let many = run(&host, &caught(&format!("g.echo.{name}('a', 1)"))).await?;
        assert_eq!((&many[0], &many[4]), (&json!("TypeError"), &json!("the method takes 1 argument, not 2")));
    }
    let stack = run(&host, "try { await g.echo.failLater('conflict') } catch (e) { return e.stack }").await?;
    assert!(stack.as_str().is_some_and(|stack| stack.contains("script.js:2")), "{stack}");
    Ok(())
}

/// The context of a run.
struct Tenant(u64);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_run_has_its_context() -> Result<()> {
    let functions = Functions::new("tenant").function("now", |call| Ok(call.context::<Tenant>()?.0)).async_function(
        "later",
        |call| async move {
            yield_now().await;
            Ok(call.context::<Tenant>()?.0)
        },
    );
    let host = host(functions);
    let source = "export async function main() {
        const seen = new Set();
        for (let i = 0; i < 20; i++) { seen.add(g.tenant.now()); seen.add(await g.tenant.later()); }
        return [...seen];
    }";
    let script = Script::from_source(&host, "tenant.js", source).await?;
    let mut runs = JoinSet::new();
    for number in 0..50 {
        let (host, script) = (host.clone(), script.clone());
        let origin = if number % 2 == 0 { Origin::Local } else { Origin::Mcp };
        let options = RunOptions { context: Some(Arc::new(Tenant(number))), ..RunOptions::of(origin) };
        runs.spawn(async move { (number, host.run(&script, options).await.result) });
    }
    while let Some(ended) = runs.join_next().await {
        let (number, result) = ended?;
        assert_eq!(result?, Some(format!("[{number}]")));
    }
    let none = run(&host, &caught("g.tenant.now()")).await?;
    assert_eq!(none[1], "INTERNAL");
    let other = RunOptions { context: Some(Arc::new("another type")), ..RunOptions::default() };
    let other = run_with(&host, &caught("g.tenant.later()"), other).await.result?.unwrap_or_default();
    assert!(other.contains("INTERNAL"), "{other}");
    Ok(())
}

#[tokio::test]
async fn every_origin_and_a_run_that_may_only_read_have_them() -> Result<()> {
    let host = host(echo());
    for origin in [Origin::Local, Origin::Mcp] {
        let options = RunOptions { read_only: true, ..RunOptions::of(origin) };
        let outcome = run_with(&host, "return [g.echo.now(1), await g.echo.later(2)]", options).await;
        assert_eq!(outcome.result?.as_deref(), Some("[[1],[2]]"));
        assert_eq!(outcome.figures.host_calls, 2);
    }
    Ok(())
}

#[tokio::test]
async fn a_bundle_has_them_also_when_it_is_compiled() -> Result<()> {
    let host = host(echo());
    let source = "export const main = async () => [g.echo.now(1), await g.echo.later(2)]";
    let script = Script::from_source(&host, "script.js", source).await?;
    let world = bundle::World::for_source(source);
    let made = script.to_bundle(&bundle::Options { world, name: "script.js", source, with_source: false })?;
    let mut other = made.clone();
    // An empty custom section after the preamble: another component, which does the same.
    other.splice(8..8, [0, 2, 1, b'x']);
    assert!(bundle::runs_on_built_in_engine(&made) && !bundle::runs_on_built_in_engine(&other));
    for component in [made, other] {
        let loaded = Script::from_component(&host, component.clone()).await?;
        for origin in [Origin::Local, Origin::Mcp] {
            let result = host.run(&loaded, RunOptions::of(origin)).await.result;
            assert_eq!(result?.as_deref(), Some("[[1],[2]]"));
        }
        // On a host that does not have them, they do not exist.
        let plain = Host::new()?;
        for script in [script.clone(), Script::from_component(&plain, component).await?] {
            let error = plain.run(&script, RunOptions::default()).await.result.expect_err("there is no g.echo");
            assert!(error.to_string().contains("g has no namespace echo"), "{error}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn arguments_and_results_that_need_too_much_memory_are_refused() -> Result<()> {
    let functions = Functions::new("size")
        .function("take", |call| Ok(call.arguments::<(Vec<Value>,)>()?.0.len()))
        .async_function("takeLater", |call| async move { Ok(call.arguments::<(Vec<Value>,)>()?.0.len()) })
        .function("give", |call| Ok("x".repeat(call.arguments::<(usize,)>()?.0)))
        .async_function("giveLater", |call| async move { Ok("x".repeat(call.arguments::<(usize,)>()?.0)) });
    let host = host(functions);
    let limits = Limits { memory: 64 << 20, buffers: 1 << 20, ..Limits::of(Origin::Local) };
    let run = async |body: &str| {
        let outcome = run_with(&host, body, RunOptions { limits, ..RunOptions::default() }).await;
        outcome.result.map(|json| serde_json::from_str::<Value>(&json.unwrap_or_default()).expect("JSON"))
    };
    for name in ["take", "takeLater"] {
        let take =
            |count: usize| caught(&format!("g.size.{name}(Array.from({{ length: {count} }}, () => ({{ a: 1 }})))"));
        assert_eq!(run(&take(50_000)).await?, 50_000);
        // Each object is eight characters, and takes hundreds of bytes when it is read.
        let refused = run(&take(300_000)).await?;
        assert_eq!((&refused[1], &refused[3]), (&json!("LIMIT"), &json!(name)), "{refused}");
    }
    for name in ["give", "giveLater"] {
        let give = |count: usize| caught(&format!("(async () => (await g.size.{name}({count})).length)()"));
        assert_eq!(run(&give((1 << 20) - 2)).await?, (1 << 20) - 2);
        let refused = run(&give((1 << 20) - 1)).await?;
        assert_eq!(refused[1], "LIMIT", "{refused}");
        assert!(refused[4].as_str().is_some_and(|text| text.contains("the limit is 1048576")), "{refused}");
        // What was refused is not counted any more.
        assert_eq!(run(&give(10)).await?, 10);
    }
    Ok(())
}
