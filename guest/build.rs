//! Generates the glue between JavaScript and the WIT, and compiles `memory.c` for WebAssembly.

use std::{env, fs, path::Path};

use ghost_bindgen::World;

fn main() -> anyhow::Result<()> {
    println!("cargo::rerun-if-changed=../wit");
    let world = if env::var_os("CARGO_FEATURE_EXTERNAL").is_some() { World::Script } else { World::LocalScript };
    let glue = ghost_bindgen::glue(Path::new("../wit"), world)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("g.rs"), glue)?;
    if env::var("CARGO_CFG_TARGET_FAMILY")? == "wasm" {
        println!("cargo::rerun-if-changed=memory.c");
        cc::Build::new().file("memory.c").flag("-mbulk-memory").flag("-fno-builtin").compile("ghost_memory");
    }
    Ok(())
}
