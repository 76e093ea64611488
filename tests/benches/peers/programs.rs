//! The other programs: where they come from, and where they are.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

const PACKAGES: [&str; 2] = ["bun@1.4.5", "deno@2.9.6"];

/// Bun and Deno.
pub struct Programs {
    pub bun: PathBuf,
    pub deno: PathBuf,
}

impl Programs {
    /// Installs them, unless they are there already.
    pub fn install() -> Result<Self> {
        let folder = env::temp_dir().join("ghost-peers");
        std::fs::create_dir_all(&folder)?;
        let status = Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&folder)
            .args(PACKAGES)
            .status()
            .context("npm does not run: it comes with Node.js")?;
        ensure!(status.success(), "npm install failed");
        let program = |name: &str| {
            let path = folder.join("node_modules/.bin").join(name);
            path.canonicalize().with_context(|| format!("npm installed no {name}"))
        };
        Ok(Self { bun: program("bun")?, deno: program("deno")? })
    }
}

/// A program on `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A program as users start it: with this variable, errors that nobody sees would cost the time of a backtrace.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_remove("RUST_BACKTRACE");
    command
}

/// What a command writes on standard output, when it succeeds.
pub fn output(program: &Path, arguments: &[&str], folder: &Path) -> Result<String> {
    let told = command(program).args(arguments).current_dir(folder).output()?;
    ensure!(told.status.success(), "{} failed: {}", program.display(), String::from_utf8_lossy(&told.stderr));
    Ok(String::from_utf8(told.stdout)?)
}
