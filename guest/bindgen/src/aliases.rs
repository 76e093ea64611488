//! The aliases in `types.wit`, `sqldb.wit`, `documentdb.wit` and `clustersearch.wit`, whose conversions the generator knows by
//! their names.

use anyhow::{Result, bail, ensure};

use crate::model::{Marked, Type, Whole};

/// Whether a value is an argument or a result.
#[derive(Clone, Copy, PartialEq)]
pub enum Direction {
    /// From the script to the host.
    Argument,
    /// From the host to the script.
    Result,
}

/// Returns the type of an alias.
pub fn alias(name: &str, direction: Direction) -> Result<Type> {
    match name {
        "json" => Ok(Type::Json),
        "text-map" => {
            ensure!(direction == Direction::Result, "a text-map can't be an argument");
            Ok(Type::TextMap)
        }
        "natural" => Ok(whole("u32", 0, i32::MAX.into())),
        "error-text" => {
            ensure!(direction == Direction::Argument, "an error-text can't be a result");
            Ok(Type::ErrorText)
        }
        "timestamp" => {
            ensure!(direction == Direction::Result, "a timestamp can't be an argument");
            Ok(Type::Timestamp)
        }
        _ => marked(name, direction, false),
    }
}

/// The aliases with conversions of their own: the alias, the direction, the function that converts it, the type in
/// TypeScript, and whether it is the item of a stream.
const MARKED: &[(&str, Direction, &str, &str, bool)] = &[
    ("json-object", Direction::Argument, "cluster::object", "object", false),
    ("json-objects", Direction::Argument, "cluster::objects", "object[]", false),
    ("json-body", Direction::Argument, "cluster::body", "object | string", false),
    ("refresh", Direction::Argument, "cluster::refresh", "boolean | \"wait_for\"", false),
    ("sql-values", Direction::Argument, "sql::values", "unknown[]", false),
    ("sql-lines", Direction::Argument, "sql::lines", "unknown[][]", true),
    ("sql-rows", Direction::Result, "sql::rows", "T[]", false),
    ("sql-row", Direction::Result, "sql::row", "T | null", false),
    ("sql-value", Direction::Result, "sql::value", "T", false),
    ("bson-document", Direction::Argument, "bson::document", "object", false),
    ("bson-documents", Direction::Argument, "bson::documents", "object[]", false),
    ("bson-filter", Direction::Argument, "bson::filter", "object", false),
    ("bson-update", Direction::Argument, "bson::update", "object | object[]", false),
    ("bson-pipeline", Direction::Argument, "bson::pipeline", "object[]", false),
    ("bson-results", Direction::Result, "bson::results", "T[]", false),
    ("bson-result", Direction::Result, "bson::result", "T | null", false),
];

/// Returns the type of an alias with its own conversion.
pub fn marked(name: &str, direction: Direction, is_stream: bool) -> Result<Type> {
    let Some((_, way, convert, typescript, streamed)) = MARKED.iter().find(|(known, ..)| *known == name) else {
        let marked = MARKED.iter().map(|(known, ..)| *known);
        let known: Vec<_> =
            ["error-text", "json", "natural", "text-map", "timestamp"].into_iter().chain(marked).collect();
        bail!("unknown alias {name}: known are {}", known.join(", "));
    };
    ensure!(direction == *way, "{name} is only allowed in the other direction");
    ensure!(is_stream == *streamed, "{name} {} in a stream", if *streamed { "comes" } else { "does not come" });
    Ok(Type::Marked(Marked { convert, typescript, streamed: *streamed }))
}

/// Returns a type of whole numbers.
pub fn whole(rust: &'static str, least: i64, most: i64) -> Type {
    Type::Whole(Whole { rust, least, most, values: Vec::new() })
}
