//! What a page omits.

/// How many documents or items follow a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omitted {
    /// There are this many, including those of the page.
    Of(u64),
    /// There are more; they are not counted.
    Unknown,
}
