//! Hosts of one process: they share the native code of the engines, and nothing else.

use std::{sync::Arc, thread};

use anyhow::Result;
use ghost::{Host, Origin, RunOptions};

/// Compiles and runs a script of an origin, one that is stopped from outside, and the first one again.
async fn serves(host: &Host, origin: Origin) -> Result<()> {
    let script = host.compile("sum.js", "export const main = (a, b) => a + b;").await?;
    let sum = async || {
        let arguments = vec!["20".into(), "22".into()];
        host.run(&script, RunOptions { arguments, ..RunOptions::of(origin) }).await.result
    };
    assert_eq!(sum().await?.as_deref(), Some("42"));
    let deep = host.compile("deep.js", "export const main = () => { const f = () => f() + 1; return f(); };").await?;
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
