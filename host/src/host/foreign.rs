//! Components that the built-in engine does not replace: those of other languages, and bundles of other versions.

use std::sync::{Arc, OnceLock};

use wasmtime::{Engine, component::Component};

use super::Host;
use crate::{
    Failure, Origin,
    bindings::script::ScriptPre,
    bundle::{self, WIT_VERSION, World},
    engine::wasi,
    g::Namespace,
    run::State,
};

/// A component. It is linked for the local origin when it is loaded, and for the MCP origin when it is first checked
/// for it or runs with it.
pub(super) struct Foreign {
    component: Component,
    local: Arc<ScriptPre<State>>,
    mcp: OnceLock<Result<Arc<ScriptPre<State>>, Failure>>,
}

impl Foreign {
    /// Links a component. Fails with [`Failure::NotStarted`] when it imports what the worlds do not have, or does not export
    /// `run` with their type.
    pub(super) fn link(host: &Host, component: Component) -> Result<Self, Failure> {
        let linked = host.link(&component, World::Script);
        let local = linked.map_err(|error| {
            let version = other_version(&imports(host, &component));
            Failure::NotStarted(version.unwrap_or_else(|| format!("{error:#}")))
        })?;
        Ok(Self { component, local: Arc::new(local), mcp: OnceLock::new() })
    }

    /// Returns the linked component to instantiate for an origin. Fails when the origin does not allow an import.
    pub(super) fn linked(&self, host: &Host, origin: Origin) -> Result<Arc<ScriptPre<State>>, Failure> {
        if !Engine::same(self.component.engine(), host.engine()) {
            return Err(Failure::NotStarted("the script was loaded by another host".into()));
        }
        match origin {
            Origin::Local => Ok(Arc::clone(&self.local)),
            Origin::Mcp => self.mcp.get_or_init(|| self.link_for_mcp(host)).clone(),
        }
    }

    fn link_for_mcp(&self, host: &Host) -> Result<Arc<ScriptPre<State>>, Failure> {
        let linked = host.link(&self.component, World::LocalScript);
        linked.map(Arc::new).map_err(|error| {
            let (imports, external) = (imports(host, &self.component), external());
            let external: Vec<_> = imports.into_iter().filter(|name| external.contains(name)).collect();
            if external.is_empty() { Failure::NotStarted(format!("{error:#}")) } else { blocked(&external) }
        })
    }
}

/// How many unknown imports an error names.
const NAMED_IMPORTS: usize = 8;

/// Checks that a component imports only from packages that ghost has. This comes before compiling, which is slow and does not
/// detect other packages. Linking then detects interfaces and functions that these packages do not have.
pub(super) fn check_imports(component: &[u8]) -> Result<(), Failure> {
    let mut unknown = bundle::imports(component);
    unknown.retain(|name| !is_known(name));
    if unknown.is_empty() {
        return Ok(());
    }
    let more = match unknown.len().saturating_sub(NAMED_IMPORTS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    unknown.truncate(NAMED_IMPORTS);
    Err(Failure::NotStarted(format!(
        "the component imports {}{more}, which ghost does not have: ghost:g and version 0.2 of {} are allowed",
        unknown.join(", "),
        wasi::PACKAGES.join(", "),
    )))
}

/// Whether an import is from a package that ghost has.
fn is_known(import: &str) -> bool {
    let (package, interface) = import.split_once('/').unwrap_or_default();
    let is_wasi = || interface.split_once('@').is_some_and(|(_, version)| version.starts_with("0.2."));
    package == "ghost:g" || wasi::PACKAGES.contains(&package) && is_wasi()
}

fn imports(host: &Host, component: &Component) -> Vec<String> {
    component.component_type().imports(host.engine()).map(|(name, _)| name.to_owned()).collect()
}

/// The names of the external interfaces.
pub(super) fn external() -> Vec<String> {
    Namespace::external().map(|external| format!("ghost:g/{}@{WIT_VERSION}", external.name())).collect()
}

/// Why a component that imports these interfaces can't run with MCP origin.
pub(super) fn blocked(imports: &[String]) -> Failure {
    let message = "a script of MCP origin can't use external systems: run it yourself with ghost run";
    Failure::NotStarted(format!("the component imports {}: {message}", imports.join(", ")))
}

/// Why a component can't run that was made for another version of the WIT.
fn other_version(imports: &[String]) -> Option<String> {
    let version = |name: &String| Some(name.strip_prefix("ghost:g/")?.split_once('@')?.1.to_owned());
    let other = imports.iter().filter_map(version).find(|version| version != WIT_VERSION)?;
    Some(format!(
        "the component was made for version {other} of ghost:g, and this ghost has version {WIT_VERSION}: make it again from \
         its source with this ghost, or run it with the ghost that made it"
    ))
}
