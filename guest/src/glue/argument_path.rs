//! The path of a value in the arguments, for messages.

use std::fmt;

/// `options`, `options.limit`, `statements[2].sql`
#[derive(Clone, Copy, Debug)]
pub enum ArgumentPath<'a> {
    /// An argument, named by its parameter.
    Argument(&'a str),
    /// A member of an object.
    Member(&'a ArgumentPath<'a>, &'static str),
    /// An item of an array.
    Item(&'a ArgumentPath<'a>, usize),
}

impl fmt::Display for ArgumentPath<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(name) => formatter.write_str(name),
            Self::Member(object, name) => write!(formatter, "{object}.{name}"),
            Self::Item(list, index) => write!(formatter, "{list}[{index}]"),
        }
    }
}
