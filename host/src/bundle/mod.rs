//! Bundles: a script and ghost's engine, composed to one component.
//!
//! ```text
//! bundle ─┬─ program   the bytecode of the script, behind the interface `program`
//!         ├─ engine    a small build of ghost's JavaScript engine, which imports `program` and what a world allows
//!         └─ custom sections: `ghost:details` (JSON), `ghost:source`
//! ```
//!
//! The build script composes each small engine with an empty program; a bundle is made by putting a script in its place. A
//! bundle with the small engine of this ghost is recognized by its bytes, and runs on the fast engine that is built in.

mod program;
mod sections;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::sections::COMPONENT;
pub(crate) use self::sections::{MAGIC, problem};
use crate::{Origin, g::Namespace};

/// The version of `ghost:g` that bundles are made for, and that this host links.
pub const WIT_VERSION: &str = env!("GHOST_WIT_VERSION");

/// The names of the custom sections.
const DETAILS: &str = "ghost:details";
const SOURCE: &str = "ghost:source";

/// The world of a bundle, which determines what it can reach. See `wit/world.wit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// All namespaces. A bundle of this world does not run for MCP origin.
    Script,
    /// The local namespaces only; the external ones refuse each call.
    LocalScript,
}

impl World {
    /// `script` or `local-script`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::LocalScript => "local-script",
        }
    }

    /// The world that a script needs: `script` if its source contains the name of an external namespace anywhere.
    pub fn for_source(source: &str) -> Self {
        let is_named = Namespace::external().any(|external| source.contains(external.name()));
        if is_named { Self::Script } else { Self::LocalScript }
    }

    /// The world of a script that is no bundle.
    pub(crate) fn of(origin: Origin) -> Self {
        match origin {
            Origin::Local => Self::Script,
            Origin::Mcp => Self::LocalScript,
        }
    }

    /// What a bundle of this world has before and after its program.
    fn around_program(self) -> (&'static [u8], &'static [u8]) {
        match self {
            Self::Script => (include_bytes!(env!("GHOST_BUNDLE_START")), include_bytes!(env!("GHOST_BUNDLE_END"))),
            Self::LocalScript => {
                (include_bytes!(env!("GHOST_LOCAL_BUNDLE_START")), include_bytes!(env!("GHOST_LOCAL_BUNDLE_END")))
            }
        }
    }
}

/// What a bundle states about itself. Nothing of it is verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Details {
    /// The file name of the script, as in stack traces.
    pub name: String,
    /// The SHA-256 hash of the source, in hexadecimal digits.
    pub sha256: String,
    /// The version of ghost that made it.
    pub ghost: String,
    /// Its world.
    pub world: World,
}

/// Reads what a component states about itself; `None` if it is no bundle.
pub fn details(component: &[u8]) -> Option<Details> {
    serde_json::from_slice(sections::custom(component, DETAILS)?).ok()
}

/// The source of the script in a bundle; `None` if it was made without, or is not UTF-8.
pub fn source(component: &[u8]) -> Option<&str> {
    str::from_utf8(sections::custom(component, SOURCE)?).ok()
}

/// Whether a component is a bundle with the small engine of this version of ghost: it then runs on the engine that is built
/// in, without being compiled. Its custom sections may have any content.
pub fn runs_on_built_in_engine(component: &[u8]) -> bool {
    recognize(component).is_some()
}

/// Returns the names of the imports of a component, except imported types that are only aliases. Reads no further than a section
/// whose length is malformed. Returns an empty list if the content of an import section is malformed.
pub fn imports(component: &[u8]) -> Vec<String> {
    sections::imports(component).unwrap_or_default()
}

/// What a bundle is made of, in addition to the bytecode.
#[derive(Clone, Copy, Debug)]
pub struct Options<'s> {
    /// Its world.
    pub world: World,
    /// The file name of the script.
    pub name: &'s str,
    /// The source of the script.
    pub source: &'s str,
    /// Whether the bundle contains the source, from which `ghost run` prints the lines of errors.
    pub with_source: bool,
}

/// Makes a bundle.
pub(crate) fn make(bytecode: &[u8], options: &Options<'_>) -> Vec<u8> {
    let (start, end) = options.world.around_program();
    let details = Details {
        name: options.name.to_owned(),
        sha256: format!("{:x}", Sha256::digest(options.source)),
        ghost: env!("CARGO_PKG_VERSION").to_owned(),
        world: options.world,
    };
    let details = serde_json::json!(details).to_string();
    let program = sections::encoded(COMPONENT, &program::with(bytecode));
    let details = sections::encoded_custom(DETAILS, details.as_bytes());
    let source = options.with_source.then(|| sections::encoded_custom(SOURCE, options.source.as_bytes()));
    [start, &program, end, &details, &source.unwrap_or_default()].concat()
}

/// Returns the world and the bytecode of a bundle that this version of ghost made: [`make`] composes the same bytes, except for the
/// custom sections at the end, which are not compared.
pub(crate) fn recognize(component: &[u8]) -> Option<(World, &[u8])> {
    [World::Script, World::LocalScript].into_iter().find_map(|world| {
        let (start, end) = world.around_program();
        let sections = component.strip_prefix(start)?;
        let program = sections::first(sections).filter(|section| section.id == COMPONENT)?;
        let custom = sections[program.whole.len()..].strip_prefix(end)?;
        let bytecode = program::bytecode(program.content)?;
        sections::are_custom(custom).then_some((world, bytecode))
    })
}
