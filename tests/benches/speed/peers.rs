//! Other programs, where they are installed.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, ensure};
use serde_json::Value;

/// A program on `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What Bun with SQLite does in a second; none where Bun is not installed.
pub fn bun_with_sqlite(folder: &Path) -> Result<Option<Value>> {
    let Some(bun) = find("bun") else { return Ok(None) };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/speed/bun-sqlite.js");
    let told = Command::new(bun).arg(script).current_dir(folder).output()?;
    ensure!(told.status.success(), "bun failed: {}", String::from_utf8_lossy(&told.stderr));
    Ok(Some(serde_json::from_slice(&told.stdout)?))
}
