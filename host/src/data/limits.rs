//! The limits of the local namespaces that a program may change.

/// The limits of `g.store`, `g.queue` and `g.search`. A limit that is greater than its maximum is reduced to it: the maximum
/// is what the format of a workspace and the memory of its indexes allow.
///
/// They apply to what is written, and to what one call returns. A document that was written under a greater limit is still
/// read; a page is refused if it would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataLimits {
    /// The largest document of `g.store` and `g.search`, in bytes of JSON. Default 16 MiB, maximum 64 MiB.
    pub document: usize,
    /// The largest item of a queue, in bytes of JSON. Default 16 MiB, maximum 64 MiB.
    pub item: usize,
    /// The largest page of a list or of the results of a search, in bytes of JSON. Default 64 MiB, maximum 1 GiB.
    pub page: usize,
    /// The number of calls of a run that wait for an item at a time. Default 1,024, maximum 65,536.
    pub waiting_calls: usize,
}

impl Default for DataLimits {
    fn default() -> Self {
        Self { document: 16 << 20, item: 16 << 20, page: 64 << 20, waiting_calls: 1_024 }
    }
}

impl DataLimits {
    /// The maximum of each limit.
    pub const MAX: Self = Self { document: 64 << 20, item: 64 << 20, page: 1 << 30, waiting_calls: 65_536 };

    /// Returns the smaller one of each limit.
    pub(crate) fn at_most(self, other: &Self) -> Self {
        Self {
            document: self.document.min(other.document),
            item: self.item.min(other.item),
            page: self.page.min(other.page),
            waiting_calls: self.waiting_calls.min(other.waiting_calls),
        }
    }
}
