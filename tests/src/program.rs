//! Where the `ghost` program under test is.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use anyhow::{Context, Result, ensure};

/// The program. `GHOST_BINARY` names another one than the one that was built with the tests.
///
/// # Panics
///
/// When it can't be built or found.
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| find().unwrap_or_else(|error| panic!("{error:#}")));
    &BINARY
}

/// The folder that the repository was checked out to. Cargo's variable is read when the tests run: a test program that was
/// built in another checkout with the same build cache has the path of that one inside.
pub fn repository() -> &'static Path {
    static REPOSITORY: LazyLock<PathBuf> = LazyLock::new(|| {
        let tests = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        tests.parent().expect("the tests are a folder of the repository").to_owned()
    });
    &REPOSITORY
}

fn find() -> Result<PathBuf> {
    if let Some(named) = env::var_os("GHOST_BINARY") {
        let binary = PathBuf::from(named).canonicalize().context("GHOST_BINARY names no file")?;
        return Ok(binary);
    }
    let test = env::current_exe()?;
    let built = test.ancestors().nth(2).context("the tests are not in a folder that cargo made")?;
    if let Some(cargo) = env::var_os("CARGO") {
        build(Path::new(&cargo), built)?;
    }
    let binary = built.join("ghost");
    ensure!(
        binary.is_file(),
        "there is no program beside the tests: run cargo build --release --workspace --all-targets"
    );
    Ok(binary)
}

/// Cargo does not build the program of another crate for a test, and only cargo knows whether it is up to date. The
/// targets are those of `cargo test`, so that the libraries have the same features and nothing is built twice.
fn build(cargo: &Path, built: &Path) -> Result<()> {
    let profile = match built.file_name().and_then(|name| name.to_str()).context("the build folder has no name")? {
        "debug" => "dev",
        profile => profile,
    };
    let mut command = Command::new(cargo);
    command
        .args(["build", "--quiet", "--workspace", "--bins", "--tests", "--profile", profile, "--target-dir"])
        .arg(built.parent().context("the build folder has no parent")?)
        .current_dir(repository());
    // Cargo sets variables for the package of this test. A library whose build script reads such a variable would be rebuilt,
    // and once more by the cargo that started the test.
    for (name, _) in env::vars_os().filter(|(name, _)| is_of_a_package(name)) {
        command.env_remove(name);
    }
    let status = command.status().context("cargo does not run")?;
    ensure!(status.success(), "cargo build failed");
    Ok(())
}

fn is_of_a_package(variable: &OsStr) -> bool {
    variable.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
}
