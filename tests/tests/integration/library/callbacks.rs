//! Functions of the program that the host calls: they may be slow, and they may panic.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;
use ghost::{Host, Level, RunOptions, secrets::Secrets};
use ghost_tests::own_process;
use tokio::task::JoinSet;

use super::run;

#[tokio::test]
async fn a_console_sink_gets_each_line_once_and_in_order() -> Result<()> {
    let host = Host::new()?;
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let sink = move |level: Level, text: &str| kept.lock().expect("no panic").push((level, text.to_owned()));
    let options = RunOptions { console: Some(Box::new(sink)), ..RunOptions::default() };
    let source = "export async function main() {
        for (let n = 0; n < 500; n++) {
          (n % 2 ? console.error : console.log)(`line ${n}`);
          if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }";
    let outcome = run(&host, source, options).await;
    outcome.value::<()>()?;
    assert!(outcome.console.is_empty());
    let level = |number| if number % 2 == 0 { Level::Info } else { Level::Error };
    let expected: Vec<_> = (0..500).map(|number| (level(number), format!("line {number}"))).collect();
    assert_eq!(*lines.lock().expect("no panic"), expected);
    Ok(())
}

/// The number of threads of this process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Runs that print nothing while they wait need no thread each.
#[tokio::test]
async fn runs_with_a_console_sink_have_no_thread_each() -> Result<()> {
    // Other tests have threads, too.
    if !own_process::is_given_to("library::callbacks::runs_with_a_console_sink_have_no_thread_each") {
        return Ok(());
    }
    let host = Host::new()?;
    let source = "export async function main() {
        console.log('begun');
        await new Promise((resolve) => setTimeout(resolve, 300_000));
      }";
    let script = ghost::Script::from_source(&host, "wait.js", source).await?;
    let (printed, mut count) = tokio::sync::mpsc::unbounded_channel();
    let before = threads();
    let mut runs = JoinSet::new();
    for _ in 0..60 {
        let (host, script, printed) = (host.clone(), script.clone(), printed.clone());
        let sink = move |_: Level, _: &str| printed.send(()).expect("the test is there");
        let options = RunOptions { console: Some(Box::new(sink)), ..RunOptions::default() };
        runs.spawn(async move { host.run(&script, options).await });
    }
    for _ in 0..60 {
        count.recv().await;
    }
    // The runtime's own threads for blocking work are reused.
    assert!(threads() < before + 20, "{before} threads before, {} now", threads());
    Ok(())
}

#[tokio::test]
async fn a_panic_of_a_callback_leaves_the_host_usable() -> Result<()> {
    let host = Host::new()?;
    let console = RunOptions { console: Some(Box::new(|_, _| panic!("on purpose"))), ..RunOptions::default() };
    let outcome = run(&host, "export const main = () => { console.log('a'); return 1; };", console).await;
    assert_eq!(outcome.value::<u8>()?, 1);

    let secrets = Some(Secrets::new(|_| panic!("on purpose")));
    let source = "export const main = () => g.sqldb.query('db', 'select 1').catch((error) => error.code);";
    let outcome = run(&host, source, RunOptions { secrets, ..RunOptions::default() }).await;
    assert_eq!(outcome.value::<String>()?, "INTERNAL");

    let outcome = run(&host, "export const main = () => 1;", RunOptions::default()).await;
    assert_eq!(outcome.value::<u8>()?, 1);
    Ok(())
}

#[tokio::test]
async fn dropping_a_run_stops_a_script_in_an_endless_loop() -> Result<()> {
    let host = Host::builder().instances(ghost::Instances::Pool(1)).build()?;
    let begun = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&begun);
    let sink = move |_: Level, _: &str| flag.store(true, Ordering::Relaxed);
    let options = RunOptions { console: Some(Box::new(sink)), ..RunOptions::default() };
    let source = "export const main = () => { console.log('begun'); for (;;); };";
    let script = ghost::Script::from_source(&host, "loop.js", source).await?;
    let until_begun = async {
        while !begun.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        outcome = host.run(&script, options) => panic!("it ended: {outcome:?}"),
        () = until_begun => {}
    }
    // The only instance of the pool is free again, long before the time limit of the run.
    let start = Instant::now();
    let outcome = run(&host, "export const main = () => 2;", RunOptions::default()).await;
    assert_eq!(outcome.value::<u8>()?, 2);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    Ok(())
}
