//! Compiles the JavaScript engine (`guest/engine/engine.wasm`) ahead of time for Cargo's target, so that the program
//! carries native code and needs no cache.

use std::{env, error::Error, fs, path::PathBuf};

#[path = "src/engine/config.rs"]
mod config;

/// Another engine to build in, to test one that is not committed.
const ENGINE_VARIABLE: &str = "GHOST_ENGINE_WASM";

fn main() -> Result<(), Box<dyn Error>> {
    let engine = env::var(ENGINE_VARIABLE).unwrap_or_else(|_| "../guest/engine/engine.wasm".into());
    println!("cargo::rerun-if-env-changed={ENGINE_VARIABLE}");
    println!("cargo::rerun-if-changed={engine}");
    println!("cargo::rerun-if-changed=src/engine/config.rs");
    println!("cargo::rerun-if-changed=../wit");

    let mut config = config::common();
    // Naming the target leaves the features of this machine's processor out: the code runs on any of its kind.
    config.target(&env::var("TARGET")?)?;
    let native = wasmtime::Engine::new(&config)?.precompile_component(&fs::read(engine)?)?;
    let out = PathBuf::from(env::var("OUT_DIR")?).join("engine.cwasm");
    fs::write(&out, native)?;
    println!("cargo::rustc-env=GHOST_ENGINE={}", out.display());
    Ok(())
}
