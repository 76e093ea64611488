//! Hosts of one process: they share the native code of the engines, and nothing else.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use ghost::{ErrorCode, Failure, Host, Instances, Limits, Origin, RunOptions, Script, Timeouts};
use tokio::{task::JoinSet, time::sleep};

/// Compiles and runs a script of an origin, one that is stopped from outside, and the first one again.
async fn serves(host: &Host, origin: Origin) -> Result<()> {
    let script = Script::from_source(host, "sum.js", "export const main = (a, b) => a + b;").await?;
    let sum = async || {
        let arguments = vec!["20".into(), "22".into()];
        host.run(&script, RunOptions { arguments, ..RunOptions::of(origin) }).await.result
    };
    assert_eq!(sum().await?.as_deref(), Some("42"));
    let deep =
        Script::from_source(host, "deep.js", "export const main = () => { const f = () => f() + 1; return f(); };")
            .await?;
    assert!(host.run(&deep, RunOptions::of(origin)).await.result.is_err(), "endless recursion ends");
    assert_eq!(sum().await?.as_deref(), Some("42"));
    Ok(())
}

const ORIGINS: [Origin; 2] = [Origin::Local, Origin::Mcp];

#[tokio::test]
async fn several_hosts_live_at_once() -> Result<()> {
    let hosts = [Host::new()?, Host::new()?, Host::new()?];
    for origin in ORIGINS {
        for host in &hosts {
            serves(host, origin).await?;
        }
    }
    let [first, second, third] = hosts;
    drop(first);
    for origin in ORIGINS {
        serves(&second, origin).await?;
        serves(&third, origin).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_host_is_made_after_another_has_ended() -> Result<()> {
    for _ in 0..3 {
        let host = Host::new()?;
        for origin in ORIGINS {
            serves(&host, origin).await?;
        }
    }
    Ok(())
}

#[test]
fn one_host_is_first_used_by_several_threads_at_once() -> Result<()> {
    let host = Arc::new(Host::new()?);
    let threads = [(); 4].map(|()| {
        let host = Arc::clone(&host);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(serves(&host, Origin::Local))
        })
    });
    threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_wait_for_a_free_instance_of_the_pool() -> Result<()> {
    let host = Host::builder().instances(Instances::Pool(2)).build()?;
    let source = "export const main = () => new Promise((resolve) => setTimeout(() => resolve(7), 5));";
    let script = Script::from_source(&host, "wait.js", source).await?;
    let mut runs = JoinSet::new();
    for _ in 0..20 {
        let (host, script) = (host.clone(), script.clone());
        runs.spawn(async move { host.run(&script, RunOptions::default()).await.result });
    }
    Script::from_source(&host, "other.js", source).await?;
    for result in runs.join_all().await {
        assert_eq!(result?.as_deref(), Some("7"));
    }
    let refused = Host::builder().instances(Instances::Pool(0)).build().err().map(|error| error.code);
    assert_eq!(refused, Some(ErrorCode::InvalidArgument));
    Ok(())
}

/// A thread of the runtime that runs a busy script still serves timers: with the next tick, not with the 61st.
#[tokio::test]
async fn a_busy_script_does_not_delay_timers() -> Result<()> {
    let host = Host::new()?;
    let script = Script::from_source(&host, "busy.js", "export const main = () => { for (;;); };").await?;
    let limits = Limits { time: Duration::from_secs(2), ..Limits::of(Origin::Local) };
    let busy = {
        let (host, options) = (host.clone(), RunOptions { limits, ..RunOptions::default() });
        tokio::spawn(async move { host.run(&script, options).await.result })
    };
    let mut turns = 0;
    while !busy.is_finished() {
        sleep(Duration::from_millis(1)).await;
        turns += 1;
    }
    assert_eq!(busy.await?, Err(Failure::Time { limit: limits.time }));
    assert!(turns > 20, "there were {turns} turns beside it");
    Ok(())
}

#[tokio::test]
async fn time_limits_may_be_unbounded() -> Result<()> {
    let host = Host::new()?;
    let script = Script::from_source(
        &host,
        "one.js",
        "export const main = () => g.sqldb.scalar('a', 'select 1').catch((e) => e.code);",
    )
    .await?;
    let timeouts = Timeouts { connect: Duration::MAX, wait: Duration::MAX, idle: Duration::MAX };
    let limits = Limits { time: Duration::MAX, timeouts, ..Limits::of(Origin::Local) };
    let outcome = host.run(&script, RunOptions { limits, ..RunOptions::default() }).await;
    assert_eq!(outcome.result?.as_deref(), Some("\"SECRET_NOT_FOUND\""));
    Ok(())
}

#[tokio::test]
async fn an_invalid_option_of_the_host_is_no_exception_of_the_script() -> Result<()> {
    let host = Host::new()?;
    let script = Script::from_source(&host, "one.js", "export const main = (a) => a;").await?;
    let arguments = vec!["1".into(), "{x".into()];
    let result = host.run(&script, RunOptions { arguments, ..RunOptions::default() }).await.result;
    let Err(Failure::NotStarted(message)) = result else { panic!("{result:?}") };
    assert!(message.starts_with("arguments[1] is not JSON: "), "{message}");
    for memory in [0, 1 << 20] {
        let limits = Limits { memory, ..Limits::of(Origin::Local) };
        let result = host.run(&script, RunOptions { limits, ..RunOptions::default() }).await.result;
        assert_eq!(result, Err(Failure::Memory { limit: memory }));
    }
    Ok(())
}

#[tokio::test]
async fn compiling_respects_its_limits_and_counts_towards_the_run() -> Result<()> {
    let (host, began) = (Host::new()?, Instant::now());
    let limits = Limits { time: Duration::from_millis(100), ..Limits::of(Origin::Local) };
    let source = format!("export function main() {{}}\n{}", "(() => { let a = 1; return a; })();\n".repeat(400_000));
    let compiled = Script::from_source_within(&host, "large.js", &source, &limits).await;
    assert_eq!(compiled.err(), Some(Failure::Time { limit: limits.time }));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // Here as if compiling had taken all of the time.
    let script = Script::from_source(&host, "one.js", "export const main = () => 1;").await?;
    let options = RunOptions { limits, since: Some(began), ..RunOptions::default() };
    assert_eq!(host.run(&script, options).await.result, Err(Failure::Time { limit: limits.time }));
    assert_eq!(host.run(&script, RunOptions::default()).await.result?.as_deref(), Some("1"));
    Ok(())
}
