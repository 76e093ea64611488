//! Clients that are not of this repository: the official SDKs and the inspector.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use ghost_tests::{folder::Folder, program, servers::or_skip};

use super::{
    client::workspace,
    http_client::{Server, TOKEN},
};

/// Installs a client, and returns the folder that contains it.
fn installed(name: &str) -> Result<PathBuf> {
    let installed = Command::new(program::repository().join("tests/clients/install"))
        .arg(name)
        .stdin(Stdio::null())
        .output()
        .context("tests/clients/install does not run")?;
    let said = String::from_utf8_lossy(&installed.stderr);
    ensure!(installed.status.success(), "tests/clients/install {name}: {}", said.trim());
    Ok(String::from_utf8(installed.stdout)?.trim().into())
}

/// Runs a program that ends well and says so.
#[track_caller]
fn succeeds(command: &mut Command) {
    let ended = command.output().expect("it is installed");
    let (stdout, stderr) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && stdout.trim().ends_with("done"), "{}\n{stdout}\n{stderr}", ended.status);
}

fn typescript(folder: &Path) -> Command {
    let script = File::open(program::repository().join("tests/clients/typescript.mjs")).expect("it is there");
    let mut command = Command::new("node");
    // Imports are resolved from the current folder.
    command.args(["--input-type=module", "-"]).stdin(script).current_dir(folder);
    command
}

fn python(folder: &Path) -> Command {
    let mut command = Command::new(folder.join("bin/python"));
    command.arg(program::repository().join("tests/clients/python.py")).stdin(Stdio::null());
    command
}

fn over_stdio(command: &mut Command, workspace: &Folder) {
    succeeds(command.env("GHOST", program::binary()).env("FOLDER", workspace.path()));
}

fn over_http(command: &mut Command, workspace: &Folder) {
    let server = Server::start(workspace, &[]);
    succeeds(command.env("URL", format!("http://127.0.0.1:{}/mcp", server.port)).env("TOKEN", TOKEN));
}

#[test]
fn the_typescript_sdk_over_stdio() {
    let Some(folder) = or_skip(installed("typescript")) else { return };
    over_stdio(&mut typescript(&folder), &workspace());
}

#[test]
fn the_typescript_sdk_over_http() {
    let Some(folder) = or_skip(installed("typescript")) else { return };
    over_http(&mut typescript(&folder), &workspace());
}

#[test]
fn the_python_sdk_over_stdio() {
    let Some(folder) = or_skip(installed("python")) else { return };
    over_stdio(&mut python(&folder), &workspace());
}

#[test]
fn the_python_sdk_over_http() {
    let Some(folder) = or_skip(installed("python")) else { return };
    over_http(&mut python(&folder), &workspace());
}

#[test]
fn the_inspector_lists_and_calls_tools() {
    let Some(folder) = or_skip(installed("inspector")) else { return };
    let workspace = workspace();
    let inspect = |arguments: &[&str]| {
        let mut command = Command::new(folder.join("node_modules/.bin/mcp-inspector"));
        command.arg("--cli").arg(program::binary()).arg("mcp").args(arguments);
        let ended = command.current_dir(workspace.path()).output().expect("it is installed");
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success(), "{text}\n{}", String::from_utf8_lossy(&ended.stderr));
        text
    };
    let listed = inspect(&["--method", "tools/list"]);
    assert!(listed.contains("run_script") && listed.contains("readOnlyHint"), "{listed}");
    let source = "source=export const main = () => g.store.count('c') + 41";
    let called = inspect(&["--method", "tools/call", "--tool-name", "run_script", "--tool-arg", source]);
    assert!(called.contains("\"value\": 41"), "{called}");
    assert!(inspect(&["--method", "resources/list"]).contains("ghost://reference.md"));
    assert!(inspect(&["--method", "prompts/list"]).contains("find_documents"));
}
