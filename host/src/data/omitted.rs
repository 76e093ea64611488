//! The documents or items that a page omits.

/// The number of documents or items that a page omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omitted {
    /// The total number, including the documents or items of the page.
    Of(u64),
    /// At least one, but they are not counted.
    Unknown,
}
