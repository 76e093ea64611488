//! `ghost inspect`: shows what a component is, and for which origin it runs.

use std::{cell::OnceCell, path::PathBuf};

use clap::Args;
use ghost::{
    Failure, Host, Limits, Origin,
    bundle::{self, World},
};
use indicatif::BinaryBytes;
use serde_json::json;

use super::{
    Exit, deliver,
    execute::{self, Content},
    input::Bound,
    not_started, report, run,
    terminal::escape,
    units,
};

#[derive(Args)]
#[command(after_help = "Fails with status 2 if ghost can't run the file.

Examples:
  ghost inspect report.wasm
  ghost inspect report.wasm --json | jq -r .source")]
pub(crate) struct Inspect {
    /// The component: a .wasm file
    file: PathBuf,
    /// Prints JSON, with the source of the script if the bundle contains it
    #[arg(long)]
    json: bool,
    /// The memory limit of a run, from which the limit for compiling follows: 64M, 1G [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    max_memory: Option<u64>,
}

impl Inspect {
    pub(crate) fn run(self) -> Exit {
        let (name, content) = match run::load_file(&self.file, Bound::MAX) {
            Ok(loaded) => loaded,
            Err(message) => return not_started(&message),
        };
        let Content::Component(component) = content else {
            return not_started(&format!("{name} is a script; inspect shows components (.wasm)"));
        };
        let mut limits = Limits::of(Origin::Local);
        limits.memory = self.max_memory.unwrap_or(limits.memory);
        match inspect(&name, &component, &limits) {
            Ok(shown) => deliver(&if self.json { shown.json() } else { shown.text() }),
            Err(failure) => {
                report::not_started(&failure, None);
                Exit::NotStarted
            }
        }
    }
}

/// What is shown of a component.
struct Shown<'c> {
    name: &'c str,
    size: usize,
    world: World,
    imports: Vec<String>,
    runs_on_built_in_engine: bool,
    details: Option<bundle::Details>,
    source: Option<&'c str>,
}

/// Loads a component, which fails if it fits neither world.
fn inspect<'c>(name: &'c str, component: &'c [u8], limits: &Limits) -> Result<Shown<'c>, Failure> {
    let runtime = execute::runtime().map_err(Failure::NotStarted)?;
    let host = OnceCell::<Host>::new();
    let (host, script) = runtime.block_on(execute::load(&host, name, component, limits))?;
    let is_local = script.check_origin(host, Origin::Mcp).is_ok();
    Ok(Shown {
        name,
        size: component.len(),
        world: if is_local { World::LocalScript } else { World::Script },
        imports: bundle::imports(component),
        runs_on_built_in_engine: bundle::runs_on_built_in_engine(component),
        details: bundle::details(component),
        source: bundle::source(component),
    })
}

impl Shown<'_> {
    fn runs_for_mcp(&self) -> bool {
        self.world == World::LocalScript
    }

    fn json(&self) -> String {
        json!({
            "file": self.name,
            "size": self.size,
            "world": self.world.name(),
            "mcp": self.runs_for_mcp(),
            "builtInEngine": self.runs_on_built_in_engine,
            "imports": self.imports,
            "bundle": self.details,
            "source": self.source,
        })
        .to_string()
    }

    fn text(&self) -> String {
        let engine = match (self.runs_on_built_in_engine, &self.details) {
            (true, _) => "that of this ghost",
            (false, Some(_)) => "of another version of ghost: compiled before it runs",
            (false, None) => "its own: compiled before it runs",
        };
        let mut lines = vec![
            format!("file     {}", self.name),
            format!("size     {}", BinaryBytes(self.size as u64)),
            format!("world    {}", self.world.name()),
            format!(
                "mcp      {}",
                if self.runs_for_mcp() { "runs" } else { "does not run: it imports external namespaces" }
            ),
            format!("engine   {engine}"),
        ];
        if let Some(details) = &self.details {
            lines.push(format!("script   {}", details.name));
            lines.push(format!("sha256   {}", details.sha256));
            lines.push(format!("made by  ghost {}", details.ghost));
            lines.push(format!("source   {}", self.source.map_or("not included", |_| "included (--json prints it)")));
        }
        lines.push(format!("imports  {}", self.imports.join("\n         ")));
        escape(&lines.join("\n")).into_owned()
    }
}
