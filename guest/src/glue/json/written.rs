//! The results and the errors of writing a value as JSON.

use javy::quickjs;

use super::Path;

/// The name of a promise in messages.
pub(super) const PROMISE: &str = "a Promise";

/// The result of writing a value.
#[derive(Debug)]
pub struct Written {
    /// The JSON; none for a value that has none: `undefined`, a function, a symbol.
    pub text: Option<String>,
    /// A value that the JSON does not represent.
    pub lost: Option<Lost>,
}

/// The first Map, Set, Error or Promise in a written value.
#[derive(Debug, PartialEq, Eq)]
pub struct Lost {
    pub(super) path: Path,
    /// Its type, with an article.
    pub(super) what: &'static str,
    /// Whether the JSON contains some of its members.
    pub(super) has_members: bool,
    /// The number of such values.
    pub(super) count: usize,
}

impl Lost {
    /// Returns the warning. `name` names a part of the value.
    pub fn message(&self, name: impl Fn(&Path) -> String) -> String {
        let Self { path, what, has_members, count } = self;
        let shown = match has_members {
            true => "of which JSON shows only its own enumerable members",
            false => "which JSON shows as {}",
        };
        let advice = if *what == PROMISE { ": await it" } else { "" };
        let more = if *count > 1 { format!(" (the first of {count} such values)") } else { String::new() };
        format!("{} is {what}, {shown}{advice}{more}", name(path))
    }
}

/// The error of writing a value.
#[derive(Debug)]
pub enum WriteError {
    /// Code of the script threw, or an allocation failed.
    Thrown(quickjs::Error),
    /// A part of the value that JSON can't represent: its path, and its type.
    Refused(Path, &'static str),
    /// A cycle: the path where an object occurs again, and its first path.
    Cycle(Path, Path),
    /// The value exceeds this depth.
    TooDeep(usize),
}

impl From<quickjs::Error> for WriteError {
    fn from(error: quickjs::Error) -> Self {
        Self::Thrown(error)
    }
}

impl WriteError {
    /// Returns the message. `name` names a part of the value.
    pub fn message(&self, name: impl Fn(&Path) -> String) -> String {
        match self {
            Self::Thrown(error) => error.to_string(),
            Self::Refused(path, what) => {
                let advice = if *what == PROMISE { ": await it" } else { "" };
                format!("{} is {what}, which JSON can't hold{advice}", name(path))
            }
            Self::Cycle(path, first) => {
                format!("{} is {} again, a cycle, which JSON can't hold", name(path), name(first))
            }
            Self::TooDeep(limit) => {
                format!("{} is nested deeper than the limit of {limit} levels", name(&Path::default()))
            }
        }
    }
}
