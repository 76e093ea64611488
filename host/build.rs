//! Compiles the fast JavaScript engines (`guest/engine/*.wasm`) ahead of time for Cargo's target, so that the program carries
//! native code and needs no cache; and composes each small one with a component for the script, which makes the bundles'
//! template.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use wac_graph::{CompositionGraph, EncodeOptions, types::Package};
use wasm_encoder::{ComponentSectionId, Encode};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

#[path = "src/engine/config.rs"]
mod config;

/// A folder with other engines to build in, to test those that are not committed.
const FOLDER_VARIABLE: &str = "GHOST_ENGINES";

/// The fast engines, with the variables that name their native code.
const ENGINES: [(&str, &str); 2] = [("engine", "GHOST_ENGINE"), ("local-engine", "GHOST_LOCAL_ENGINE")];

/// The small engines of bundles, with the variables that name the parts of a bundle before and after the component with the
/// script.
const BUNDLE_ENGINES: [(&str, [&str; 2]); 2] = [
    ("bundle-engine", ["GHOST_BUNDLE_START", "GHOST_BUNDLE_END"]),
    ("bundle-local-engine", ["GHOST_LOCAL_BUNDLE_START", "GHOST_LOCAL_BUNDLE_END"]),
];

/// The code of the component that contains a script: `bytecode` returns the list whose address and length are at 0. The list
/// itself is put in for each bundle.
const PROGRAM: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "ghost:g/program@VERSION#bytecode") (result i32) i32.const 0)
    (data (i32.const 0) ""))"#;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={FOLDER_VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/engine/config.rs");
    println!("cargo::rerun-if-changed=../wit");

    let compiler = wasmtime::Engine::new(&settings()?)?;
    for (name, variable) in ENGINES {
        write(variable, &compiler.precompile_component(&engine(name)?)?)?;
    }
    let program = program(Path::new("../wit"))?;
    for (name, variables) in BUNDLE_ENGINES {
        let bundle = compose(&engine(name)?, &program)?;
        let parts = around(&bundle, &program.component).ok_or("the bundle does not contain the program")?;
        for (variable, part) in variables.into_iter().zip(parts) {
            write(variable, part)?;
        }
    }
    write("GHOST_PROGRAM", &program.component)?;
    println!("cargo::rustc-env=GHOST_WIT_VERSION={}", program.version);
    Ok(())
}

/// Reads an engine.
fn engine(name: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = PathBuf::from(env::var(FOLDER_VARIABLE).unwrap_or_else(|_| "../guest/engine".into()));
    let file = folder.join(name).with_extension("wasm");
    println!("cargo::rerun-if-changed={}", file.display());
    Ok(fs::read(file)?)
}

/// Writes a file for the program, which finds its path in the environment variable with the file's name.
fn write(variable: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let file = PathBuf::from(env::var("OUT_DIR")?).join(variable);
    fs::write(&file, bytes)?;
    println!("cargo::rustc-env={variable}={}", file.display());
    Ok(())
}

/// The parts of a bundle before and after the section with the program.
fn around<'b>(bundle: &'b [u8], program: &[u8]) -> Option<[&'b [u8]; 2]> {
    let mut header = vec![ComponentSectionId::Component as u8];
    program.len().encode(&mut header);
    let section = [&header, program].concat();
    let start = bundle.windows(section.len()).position(|window| window == section)?;
    Some([&bundle[..start], &bundle[start + section.len()..]])
}

fn settings() -> Result<wasmtime::Config, Box<dyn Error>> {
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
    Ok(settings)
}

/// The component that contains a script, without one.
struct Program {
    component: Vec<u8>,
    /// The name of the interface that it exports: `ghost:g/program@0.1.0`.
    interface: String,
    /// The version of the WIT.
    version: String,
}

fn program(wit: &Path) -> Result<Program, Box<dyn Error>> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(wit)?;
    let version = resolve.packages[package].name.version.as_ref().ok_or("the WIT has no version")?.to_string();
    let interface = format!("ghost:g/program@{version}");
    let text = format!("package ghost:bundle; world program {{ export {interface}; }}");
    let package = resolve.push_str("program.wit", &text)?;
    let world = resolve.select_world(&[package], None)?;
    let mut module = wat::parse_str(PROGRAM.replace("VERSION", &version))?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    let component = ComponentEncoder::default().module(&module)?.validate(true).encode()?;
    Ok(Program { component, interface, version })
}

/// A component that exports `run` of the engine, which runs the script of the program.
fn compose(engine: &[u8], program: &Program) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut graph = CompositionGraph::new();
    let package = Package::from_bytes("ghost:program", None, program.component.clone(), graph.types_mut())?;
    let package = graph.register_package(package)?;
    let script = graph.instantiate(package);
    let script = graph.alias_instance_export(script, &program.interface)?;
    let package = Package::from_bytes("ghost:engine", None, engine.to_vec(), graph.types_mut())?;
    let package = graph.register_package(package)?;
    let engine = graph.instantiate(package);
    graph.set_instantiation_argument(engine, &program.interface, script)?;
    let run = graph.alias_instance_export(engine, "run")?;
    graph.export(run, "run")?;
    Ok(graph.encode(EncodeOptions { define_components: true, validate: true, processor: None })?)
}
