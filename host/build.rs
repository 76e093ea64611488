//! Compiles the JavaScript engines (`guest/engine/*.wasm`) ahead of time for Cargo's target, so that the program carries
//! native code and needs no cache.

use std::{env, error::Error, fs, path::PathBuf};

#[path = "src/engine/config.rs"]
mod config;

/// A folder with other engines to build in, to test those that are not committed.
const FOLDER_VARIABLE: &str = "GHOST_ENGINES";

/// The engines, and the variables that name what is made of them.
const ENGINES: [(&str, &str); 2] = [("engine", "GHOST_ENGINE"), ("local-engine", "GHOST_LOCAL_ENGINE")];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={FOLDER_VARIABLE}");
    println!("cargo::rerun-if-changed=src/engine/config.rs");
    println!("cargo::rerun-if-changed=../wit");
    let folder = PathBuf::from(env::var(FOLDER_VARIABLE).unwrap_or_else(|_| "../guest/engine".into()));
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut settings = config::common();
    // Naming the target leaves the features of this machine's processor out: the code runs on any of its kind.
    settings.target(&env::var("TARGET")?)?;
    if env::var("CARGO_CFG_TARGET_ARCH")? == "x86_64" {
        // SAFETY: It names instructions, and Wasmtime checks that the processor has them before it loads the code.
        #[allow(unsafe_code, reason = "Wasmtime has no safe way to name the processor to compile for")]
        unsafe {
            settings.cranelift_flag_enable(config::X86_64);
        }
    }
    let compiler = wasmtime::Engine::new(&settings)?;
    for (name, variable) in ENGINES {
        let source = folder.join(name).with_extension("wasm");
        println!("cargo::rerun-if-changed={}", source.display());
        let native = out.join(name).with_extension("cwasm");
        fs::write(&native, compiler.precompile_component(&fs::read(source)?)?)?;
        println!("cargo::rustc-env={variable}={}", native.display());
    }
    Ok(())
}
