//! Makes the glue between JavaScript and the WIT.

use std::{env, fs, path::Path};

fn main() -> anyhow::Result<()> {
    println!("cargo::rerun-if-changed=../wit");
    let glue = ghost_bindgen::glue(Path::new("../wit"))?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("g.rs"), glue)?;
    Ok(())
}
