//! Tests whose child process is killed: a test of this program that runs in a separate process.

use std::{env, process::Command};

/// A command that runs the ignored test `child` of a module. `module` is its `module_path!()`.
pub(crate) fn command(module: &str) -> Command {
    // The names of tests do not begin with the crate.
    let test = format!("{}::child", module.trim_start_matches("ghost::"));
    let mut command = Command::new(env::current_exe().expect("this program is a file"));
    command.args(["--exact", &test, "--ignored", "--nocapture"]);
    command
}
