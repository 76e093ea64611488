//! Runs a test in a separate process, so that it can examine the threads, the open files or the memory of its process.

use std::{env, process::Command};

/// Set for a test that runs in a separate process.
const VARIABLE: &str = "GHOST_TEST_OWN_PROCESS";

/// A command that runs one test of this program: its path, `module::name`.
///
/// # Panics
///
/// When the program can't be found any more.
pub fn command(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program is a file"));
    command.args(["--exact", test, "--nocapture"]).env(VARIABLE, test);
    command
}

/// Runs a test in a separate process.
///
/// Returns whether this is that process. If not, the test has run there, and passed.
///
/// # Panics
///
/// When it failed there, or when there is no such test.
pub fn is_given_to(test: &str) -> bool {
    if env::var_os(VARIABLE).is_some_and(|given| given == test) {
        return true;
    }
    let output = command(test).output().expect("the test program starts");
    let shown = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).join("\n");
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("1 passed"), "there is no test {test}\n{shown}");
    false
}
