//! Compares the public items of the library with those in `host/public-items.txt`, so that none changes unnoticed.
//!
//! `cargo run --manifest-path tests/public-items/Cargo.toml`; with `-- write`, it writes the file.
//!
//! The items come from rustdoc's JSON, which a stable rustdoc writes only if it is told to be an unstable one. A wrapper tells
//! it: if Cargo were told, it would build every crate again. All crates of the workspace are described, not only the library,
//! because Cargo would build the dependencies again for a selection with other features.

use std::{collections::BTreeSet, env, fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail, ensure};

const WRAPPER: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";

fn main() -> Result<()> {
    let file = repository()?.join("host/public-items.txt");
    let items = items()?;
    match env::args().nth(1).as_deref() {
        Some("write") => Ok(fs::write(file, items)?),
        Some(other) => bail!("unknown argument {other}: write, or none"),
        None => compare(&fs::read_to_string(file)?, &items),
    }
}

/// Returns the public items, one in each line.
fn items() -> Result<String> {
    let items = public_api::Builder::from_rustdoc_json(described()?)
        .omit_auto_derived_impls(true)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .build()
        .context("another version of rustdoc needs another version of public-api")?;
    Ok(items.items().map(|item| format!("{item}\n")).collect())
}

/// Has rustdoc describe the library in JSON, and returns the file.
fn described() -> Result<PathBuf> {
    let repository = repository()?;
    let (folder, cargo) = (tempfile::tempdir()?, env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    let wrapper = folder.path().join("rustdoc");
    fs::write(&wrapper, WRAPPER)?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    let mut described = Command::new(cargo);
    // Variables of this program's own crate: the build script of `ring` would run again, and what depends on it would be built
    // again.
    for (name, _) in env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            described.env_remove(name);
        }
    }
    let described = described
        .current_dir(&repository)
        .env("RUSTDOC", &wrapper)
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format json")
        .args(["doc", "--release", "--locked", "--quiet", "--workspace", "--no-deps"])
        .status()?;
    ensure!(described.success(), "rustdoc failed");
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(repository.join(target).join("doc/ghost.json"))
}

/// The folder of the repository.
fn repository() -> Result<PathBuf> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").context("run it by cargo run")?);
    Ok(here.ancestors().nth(2).context("it is not in a repository")?.to_owned())
}

fn compare(recorded: &str, items: &str) -> Result<()> {
    let (recorded, items): (BTreeSet<_>, BTreeSet<_>) = (recorded.lines().collect(), items.lines().collect());
    recorded.difference(&items).for_each(|item| println!("- {item}"));
    items.difference(&recorded).for_each(|item| println!("+ {item}"));
    ensure!(
        recorded == items,
        "the public items are not those of host/public-items.txt: if that is intended, run this program with `write`"
    );
    Ok(())
}
