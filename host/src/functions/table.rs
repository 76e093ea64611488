//! All functions that the embedder added to `g`.

use super::{Body, Functions, declarations, names};
use crate::{Error, ErrorCode, bindings::ghost::g::functions::FunctionInfo};

/// All functions that the embedder added to a host, with checked names.
#[derive(Debug, Default)]
pub(crate) struct Table {
    namespaces: Vec<Functions>,
    list: Vec<FunctionInfo>,
}

impl Table {
    /// Creates it from the namespaces that a program adds to the others.
    ///
    /// Fails with `invalid-argument` for a name that is not allowed, or that exists already.
    pub(crate) fn new(added: Vec<Functions>, others: &[&str]) -> Result<Self, Error> {
        names::check(&added, others)?;
        let list = added.iter().flat_map(|one| one.functions.iter().map(|(name, body)| one.info(name, body))).collect();
        Ok(Self { namespaces: added, list })
    }

    /// Returns the functions, those of a namespace in succession.
    pub(crate) fn list(&self) -> &[FunctionInfo] {
        &self.list
    }

    /// Returns the type declarations of `g`.
    pub(crate) fn declarations(&self) -> String {
        declarations::with(&self.namespaces)
    }

    /// Finds a function. Fails with `not-found`.
    pub(super) fn find(&self, namespace: &str, name: &str) -> Result<&Body, Error> {
        let mut functions =
            self.namespaces.iter().filter(|one| one.namespace == namespace).flat_map(|one| &one.functions);
        let found = functions.find(|(known, _)| known == name).map(|(_, body)| body);
        found.ok_or_else(|| Error::new(ErrorCode::NotFound, "the host has no such function"))
    }
}

impl Functions {
    fn info(&self, name: &str, body: &Body) -> FunctionInfo {
        FunctionInfo {
            namespace: self.namespace.clone(),
            name: name.to_owned(),
            asynchronous: matches!(body, Body::Asynchronous(_)),
        }
    }
}
