//! Tests of the limit of a console, and of the lines that it holds back.

use std::{sync::mpsc, thread};

use super::*;

fn texts(lines: &[ConsoleLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn write(console: &Console, text: &str, outstanding: Option<u64>) {
    console.write_after(&mut console.lines(), ConsoleLine { level: Level::Info, text: text.into() }, outstanding);
}

#[tokio::test]
async fn a_line_waits_for_its_commit() {
    let (sender, shown) = mpsc::channel();
    let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
    let console = Console::writing(sink, &TaskTracker::new(), 100, None);
    write(&console, "one", Some(1));
    write(&console, "two", Some(2));
    assert!(shown.try_recv().is_err());
    console.release(1);
    assert_eq!(shown.recv().unwrap(), "one");
    assert!(shown.try_recv().is_err());
    console.release(2);
    assert_eq!(shown.recv().unwrap(), "two");
    assert!(console.all().is_empty());
}

#[tokio::test]
async fn a_blocked_reader_delays_no_commit() {
    let (sender, taken) = mpsc::sync_channel(0);
    let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
    let console = Console::writing(sink, &TaskTracker::new(), 100, None);
    write(&console, "one", Some(1));
    console.release(1);
    // Its thread waits for the reader now, or soon.
    console.release(2);
    console.release(3);
    assert_eq!(taken.recv().unwrap(), "one");
}

#[tokio::test]
async fn a_blocked_reader_delays_neither_the_script_nor_the_end() {
    let (sender, taken) = mpsc::sync_channel(0);
    let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
    let console = Console::writing(sink, &TaskTracker::new(), 100, None);
    let guard = console.end_on_drop();
    for text in ["one", "two", "three"] {
        write(&console, text, None);
    }
    assert!(!console.end(Instant::now() + Duration::from_millis(20)).await);
    drop((guard, console));
    assert_eq!(taken.recv().unwrap(), "one");
    assert!(taken.recv().is_err(), "what was not shown in time is not shown");
}

#[tokio::test]
async fn a_slow_reader_gets_all_lines() {
    let (sender, taken) = mpsc::sync_channel(0);
    let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
    let console = Console::writing(sink, &TaskTracker::new(), 8, None);
    console.write(Level::Info, "1234".into());
    console.write(Level::Info, "56789".into());
    let reader = thread::spawn(move || taken.iter().collect::<Vec<_>>());
    assert!(console.end(Instant::now() + Duration::from_secs(20)).await);
    assert!(console.collected().is_empty());
    drop(console);
    assert_eq!(reader.join().unwrap(), ["1234", "6 bytes of console output were dropped, the limit is 8"]);
}

#[tokio::test]
async fn after_a_panic_of_the_sink_nothing_is_written_and_the_run_ends() {
    let (sender, taken) = mpsc::channel();
    let sink = Box::new(move |_: Level, text: &str| {
        sender.send(text.to_owned()).unwrap();
        panic!("on purpose");
    });
    let console = Console::writing(sink, &TaskTracker::new(), 100, None);
    console.write(Level::Info, "one".into());
    console.write(Level::Info, "two".into());
    assert!(console.end(Instant::now() + Duration::from_secs(20)).await);
    drop(console);
    assert_eq!(taken.iter().collect::<Vec<_>>(), ["one"]);
}

#[tokio::test]
async fn the_lines_of_a_dropped_run_are_written_by_a_tracked_task() {
    let (sender, taken) = mpsc::channel();
    let sink = Box::new(move |_: Level, text: &str| sender.send(text.to_owned()).unwrap());
    let tasks = TaskTracker::new();
    let console = Console::writing(sink, &tasks, 100, None);
    let guard = console.end_on_drop();
    console.write(Level::Info, "one".into());
    write(&console, "waits for a commit", Some(1));
    drop((guard, console));
    tasks.close();
    tasks.wait().await;
    assert_eq!(taken.iter().collect::<Vec<_>>(), ["one"]);
}

#[test]
fn lines_of_a_commit_are_written_when_a_later_commit_is_lost() {
    let console = Console::collecting(100, None);
    write(&console, "saved", Some(1));
    write(&console, "lost", Some(2));
    console.release(1);
    console.discard();
    assert_eq!(texts(&console.all()), ["saved"]);
}

#[test]
fn lines_of_a_lost_commit_are_never_written() {
    let console = Console::collecting(100, None);
    write(&console, "lost", Some(1));
    console.discard();
    write(&console, "later", None);
    assert!(console.all().is_empty());
}

#[test]
fn pending_lines_count_by_their_memory() {
    let budget = Budget::of(0);
    let console = Console::collecting(16 << 20, None).with_budget(&budget);
    for _ in 0..2_000_000 {
        write(&console, "", None);
    }
    let kept = console.lines().pending.len();
    assert!(kept * 48 < 32 << 20 && kept > 100_000, "an empty line is not free: {kept}");
    assert!(console.lines().memory.bytes() as usize >= kept * 48);
    assert!(!budget.reservation().grow(80 << 20) && budget.reservation().grow(60 << 20));
    let lines = console.all();
    assert!(lines.last().unwrap().text.contains("bytes of console output were dropped"), "{:?}", lines.last());
    assert!(budget.reservation().grow(100 << 20), "a released reservation is free again");
}

#[test]
fn past_the_limit_lines_are_dropped_and_counted() {
    let console = Console::collecting(8, None);
    write(&console, "1234", None);
    write(&console, "56789", None);
    write(&console, "", None);
    let lines = console.all();
    assert_eq!(texts(&lines), ["1234", "7 bytes of console output were dropped, the limit is 8"]);
    assert_eq!(lines[1].level, Level::Warn);
}
