//! Writes what is generated from the WIT and committed: `scripts/g.d.ts` and `docs/reference.md`.
//! Run it in the repository's folder: `cargo run -p ghost-bindgen`.

use std::{fs, path::Path};

fn main() -> anyhow::Result<()> {
    let wit = Path::new("wit");
    fs::write("scripts/g.d.ts", ghost_bindgen::types(wit)?)?;
    fs::write("docs/reference.md", ghost_bindgen::reference(wit)?)?;
    Ok(())
}
