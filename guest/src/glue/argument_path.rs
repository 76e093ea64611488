//! Where in the arguments a value stands, as messages name it.

use std::fmt;

/// `options`, `options.limit`, `statements[2].sql`
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// An argument, by the name of its parameter.
    Argument(&'a str),
    /// A member of an object.
    Member(&'a Place<'a>, &'static str),
    /// An item of an array.
    Item(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(name) => formatter.write_str(name),
            Self::Member(object, name) => write!(formatter, "{object}.{name}"),
            Self::Item(list, index) => write!(formatter, "{list}[{index}]"),
        }
    }
}
