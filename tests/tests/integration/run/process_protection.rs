//! The memory and the environment of a process that holds secrets are closed to other processes of the same user.

use std::{os::unix::process::ExitStatusExt, process::Command};

use ghost_tests::{
    folder::{Finished, Folder, Run, Running},
    program, root,
};

const CANARY: &str = "postgres://user:canary@127.0.0.1:1/database";
const WAIT: &str =
    "export async function main() { console.log('it runs'); await new Promise((end) => setTimeout(end, 60_000)); }";

/// Files of a process that are readable only with the permission to attach to it.
const CLOSED: [&str; 4] = ["environ", "mem", "maps", "auxv"];

fn waiting(run: Run) -> Running {
    let mut running = run.env("GHOST_SECRET_ORDERS", CANARY).start();
    running.until_it_says("it runs");
    running
}

/// Reads a file of a process in `/proc` as the user `nobody`.
fn read_as_nobody(folder: &Folder, process: u32, file: &str) -> Finished {
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={}", root::NOBODY), format!("--regid={}", root::NOBODY), "--clear-groups".into()]);
    // Opening is refused; the memory has nothing to read at its beginning.
    command.args(["head", "-c", "0", &format!("/proc/{process}/{file}")]);
    folder.command(command).finish()
}

#[test]
fn another_process_of_the_user_can_not_read_a_run_with_secrets() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("wait.js", WAIT);
    let running = waiting(root::ghost_as_nobody(&folder, ["run", "--no-workspace", "wait.js"]));
    let mut sleep = Command::new("setpriv");
    sleep.args([format!("--reuid={}", root::NOBODY), format!("--regid={}", root::NOBODY), "--clear-groups".into()]);
    sleep.args(["sh", "-c", "echo it runs >&2; read _"]);
    let mut open = folder.command(sleep).start_open();
    open.until_it_says("it runs");
    for file in CLOSED {
        read_as_nobody(&folder, open.id(), file).exits(0);
        read_as_nobody(&folder, running.id(), file).exits(1).says("ermission denied");
    }
    for running in [running, open] {
        running.signal(libc::SIGKILL);
        running.finish();
    }
}

/// Root sees the environment of every process: the secret has gone from there.
#[test]
fn a_secret_is_removed_from_the_environment() {
    if !root::is_available() {
        return;
    }
    let folder = Folder::new();
    folder.write("wait.js", WAIT);
    let running = waiting(folder.ghost(["run", "--no-workspace", "wait.js"]).env("OTHER", "stays"));
    let environment = std::fs::read(format!("/proc/{}/environ", running.id())).expect("root may read it");
    running.signal(libc::SIGKILL);
    running.finish();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("OTHER=stays"), "{environment}");
    assert!(!environment.contains("canary"), "{environment}");
}

#[test]
fn a_run_with_secrets_leaves_no_core_dump() {
    let folder = Folder::new();
    folder.write("wait.js", WAIT);
    let with_cores = |words: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -c unlimited; exec \"$@\"", "sh"]).args(words);
        folder.command(shell)
    };
    let mut open = with_cores(&["sh", "-c", "echo it runs >&2; read _"]).start_open();
    open.until_it_says("it runs");
    open.signal(libc::SIGABRT);
    if !open.finish().status.core_dumped() {
        eprintln!("this machine writes no cores");
        return;
    }
    let ghost = program::binary().display().to_string();
    let running = waiting(with_cores(&[&ghost, "run", "--no-workspace", "wait.js"]));
    running.signal(libc::SIGABRT);
    let finished = running.finish();
    assert_eq!(finished.status.signal(), Some(libc::SIGABRT), "{finished}");
    assert!(!finished.status.core_dumped(), "{finished}");
}

#[test]
fn a_secret_from_the_environment_is_used() {
    let folder = Folder::new();
    let script = "export const main = () => g.sqldb.query('orders', 'select 1');";
    folder.script(["--timeout", "5s"], script).env("GHOST_SECRET_ORDERS", CANARY).finish().exits(1).says("UNAVAILABLE");
    folder
        .script(["--timeout", "5s"], script)
        .env("GHOST_SECRET_ORDERS", "")
        .finish()
        .exits(1)
        .says("SECRET_NOT_FOUND");
}
