//! Environments that only root can create: other users, full disks.

use std::{env, fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use crate::{
    folder::{Folder, Run},
    program,
};

/// A user who owns no file here.
pub const NOBODY: u32 = 65_534;

/// Whether tests that need root can run. They are not skipped silently: without root they fail, unless
/// `GHOST_TESTS_WITHOUT_ROOT` is set.
///
/// # Panics
///
/// Without root and without that variable.
pub fn is_available() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id runs");
    let root = id.stdout.trim_ascii() == b"0";
    assert!(
        root || env::var_os("GHOST_TESTS_WITHOUT_ROOT").is_some(),
        "this test needs root; set GHOST_TESTS_WITHOUT_ROOT=1 to leave such tests out"
    );
    root
}

/// `ghost` as a user who may read the folder but not write to it.
pub fn ghost_as_nobody<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Run {
    allow_reading(folder.path());
    // The program may lie in a folder that only root can enter. Another process copies it: a file that this one has open for
    // writing is so in a child that another test starts meanwhile, and can't be executed as long.
    let ghost = folder.path().join("ghost-of-nobody");
    let copied = Command::new("cp").arg(program::binary()).arg(&ghost).status().expect("cp runs");
    assert!(copied.success(), "the program can be copied");
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".into()]);
    command.arg(ghost).args(arguments);
    folder.command(command)
}

fn allow_reading(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("root may set permissions");
}

/// `ghost` on a machine without `/proc`.
pub fn ghost_without_proc<'a>(folder: &Folder, arguments: impl IntoIterator<Item = &'a str>) -> Run {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]);
    command.arg(program::binary()).args(arguments);
    folder.command(command)
}

/// Commands of a shell in a folder `disk` that has this many bytes, for as long as the shell runs. `$GHOST` is the program.
pub fn with_small_disk(folder: &Folder, size: &str, commands: &str) -> Run {
    fs::create_dir_all(folder.path().join("disk")).expect("a folder for the disk");
    let mut command = Command::new("unshare");
    let mount = format!("set -eu; mount -t tmpfs -o size={size} none disk; cd disk; set +e; {commands}");
    command.args(["--mount", "sh", "-c", &mount]);
    folder.command(command).env("GHOST", &program::binary().display().to_string())
}
