//! `ghost compile`: makes a bundle of a script.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use ghost::{
    Failure, Host, Limits, Origin, Script,
    bundle::{Options, World},
};
use indicatif::BinaryBytes;

use super::{
    Exit,
    execute::{self, Content},
    files,
    input::{Bound, reason},
    not_started, report, run,
};

#[derive(Args)]
#[command(
    after_help = "The bundle runs with ghost run, like the script. Without --local, it has the world `script` if the source \
contains the name of an external namespace (sqldb, …), and the world `local-script` otherwise. With ghost run --origin mcp, \
only bundles of the world `local-script` run.

Examples:
  ghost compile report.js                    writes report.wasm
  ghost compile report.js -o build/r.wasm    writes build/r.wasm"
)]
pub(crate) struct Compile {
    /// The script: a .js or .mjs file
    script: PathBuf,
    /// The file to write [default: the script's name with the extension .wasm]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Omits the external namespaces, even if the script uses one; their methods then fail with BLOCKED
    #[arg(long)]
    local: bool,
    /// Leaves the source out: errors show positions, but not the lines
    #[arg(long)]
    no_source: bool,
}

impl Compile {
    pub(crate) fn run(self) -> Exit {
        let (name, content) = match run::load_file(&self.script, Bound::of_run(limits().memory)) {
            Ok(loaded) => loaded,
            Err(message) => return not_started(&message),
        };
        let Content::Source(source) = content else {
            return not_started(&format!("{name} is a component already: compile makes one of a script in JavaScript"));
        };
        let output = self.output.unwrap_or_else(|| self.script.with_extension("wasm"));
        if is_same(&self.script, &output) {
            return not_started(&format!("{} is the script itself: name another file with --output", output.display()));
        }
        let world = if self.local { World::LocalScript } else { World::for_source(&source) };
        let options = Options { world, name: &name, source: &source, with_source: !self.no_source };
        let bundle = match bundle(&options) {
            Ok(bundle) => bundle,
            Err(failure) => {
                report::not_started(&failure, Some(&source));
                return Exit::NotStarted;
            }
        };
        match write(&output, &bundle) {
            Ok(()) => {
                report::note(&written(&output, bundle.len(), &options, self.local));
                Exit::Success
            }
            Err(error) => not_started(&format!("{} can't be written: {}", output.display(), reason(&error))),
        }
    }
}

fn limits() -> Limits {
    Limits::of(Origin::Local)
}

fn bundle(options: &Options<'_>) -> Result<Vec<u8>, Failure> {
    let host = Host::new().map_err(|error| Failure::NotStarted(error.message))?;
    let runtime = execute::runtime().map_err(Failure::NotStarted)?;
    let script = runtime.block_on(Script::from_source_within(&host, options.name, options.source, &limits()))?;
    script.to_bundle(options).map_err(|error| Failure::NotStarted(error.message))
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let found = [one, other].map(|path| path.canonicalize().ok());
    found[0].is_some() && found[0] == found[1]
}

/// Writes a file, which replaces another as a whole.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("it exists and is not a file"));
    }
    files::replace(path, bytes)
}

fn written(output: &Path, bytes: usize, options: &Options<'_>, is_chosen: bool) -> String {
    let why = match options.world {
        _ if is_chosen => "--local",
        World::Script => "the script names an external namespace",
        World::LocalScript => "the script names no external namespace",
    };
    format!("wrote {}: {}, world {} ({why})", output.display(), BinaryBytes(bytes as u64), options.world.name())
}
