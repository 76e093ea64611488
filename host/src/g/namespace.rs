//! The namespaces by their names.

/// A namespace of the global `g`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Namespace {
    /// `g.store`: the documents of the workspace.
    Store,
    /// `g.queue`: the queues of the workspace.
    Queue,
    /// `g.search`: the search index of the workspace.
    Search,
    /// `g.objectstore`: S3-compatible object storage.
    Objectstore,
    /// `g.documentdb`: MongoDB.
    Documentdb,
    /// `g.sqldb`: PostgreSQL.
    Sqldb,
    /// `g.clustersearch`: Elasticsearch and OpenSearch.
    Clustersearch,
}

impl Namespace {
    /// All namespaces: first the local ones, then the external ones.
    pub const ALL: &[Self] = &[
        Self::Store,
        Self::Queue,
        Self::Search,
        Self::Objectstore,
        Self::Documentdb,
        Self::Sqldb,
        Self::Clustersearch,
    ];

    /// The name of its property in `g`, of its interface in the WIT, and, for an external namespace, of its Cargo feature.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Queue => "queue",
            Self::Search => "search",
            Self::Objectstore => "objectstore",
            Self::Documentdb => "documentdb",
            Self::Sqldb => "sqldb",
            Self::Clustersearch => "clustersearch",
        }
    }

    /// Whether it accesses another system. Scripts of MCP origin have none of these.
    pub const fn is_external(self) -> bool {
        !matches!(self, Self::Store | Self::Queue | Self::Search)
    }

    /// Whether ghost was built with it: always true for a local one.
    pub fn is_built_in(self) -> bool {
        super::linker_of(self).is_some()
    }

    /// The external namespaces, whether ghost was built with them or not.
    pub(crate) fn external() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|namespace| namespace.is_external())
    }

    /// Returns the namespace of an imported interface: of `ghost:g/store@0.1.0`, the store.
    pub(super) fn of_interface(import: &str) -> Option<Self> {
        let (name, _version) = import.strip_prefix("ghost:g/")?.split_once('@')?;
        Self::ALL.iter().copied().find(|namespace| namespace.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_recognized_by_its_whole_name() {
        for namespace in Namespace::ALL {
            let import = format!("ghost:g/{}@0.1.0", namespace.name());
            assert_eq!(Namespace::of_interface(&import), Some(*namespace));
        }
        for import in ["store", "ghost:g/store", "ghost:g/stores@0.1.0", "ghost:g/console@0.1.0", "wasi:g/store@0.1.0"]
        {
            assert_eq!(Namespace::of_interface(import), None, "{import}");
        }
    }
}
