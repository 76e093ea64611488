//! What a page leaves out.

/// How many documents or items follow a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// There are this many, including those of the page.
    Of(u64),
    /// There are more; they are not counted.
    Unknown,
}
