//! Prints the generated texts, or writes the two files that are committed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use ghost_bindgen::World;

const USAGE: &str = "\
usage: ghost-bindgen types|reference|glue|local-glue [--wit DIR]   prints the text
       ghost-bindgen write [--wit DIR]                             writes scripts/g.d.ts and docs/reference.md";

fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let (what, wit) = match arguments.as_slice() {
        [what] => (*what, root.join("wit")),
        [what, "--wit", folder] => (*what, PathBuf::from(folder)),
        _ => bail!("{USAGE}"),
    };
    match what {
        "types" => print!("{}", ghost_bindgen::types(&wit)?),
        "reference" => print!("{}", ghost_bindgen::reference(&wit)?),
        "glue" => print!("{}", ghost_bindgen::glue(&wit, World::Script)?),
        "local-glue" => print!("{}", ghost_bindgen::glue(&wit, World::LocalScript)?),
        "write" => {
            write(&root.join("scripts/g.d.ts"), &ghost_bindgen::types(&wit)?)?;
            write(&root.join("docs/reference.md"), &ghost_bindgen::reference(&wit)?)?;
        }
        _ => bail!("{USAGE}"),
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().context("a file without a folder")?;
    fs::create_dir_all(folder).and_then(|()| fs::write(file, text)).with_context(|| file.display().to_string())
}
