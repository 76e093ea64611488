//! What is searched: the 2,019 package records of the examples, and about a hundred documents that are hard to search.

use std::fs;

use serde_json::{Map, Value};

use crate::program::repository;

/// A document, as `g.search.index` takes it. It is known by its place in the list.
pub type Document = Map<String, Value>;

/// All of them.
pub fn documents() -> Vec<Document> {
    let mut documents = packages();
    documents.extend(lines("tests/reference/documents.jsonl"));
    documents
}

fn packages() -> Vec<Document> {
    let mut packages = lines("scripts/data/packages.jsonl");
    for package in &mut packages {
        package.insert("_key".into(), package["name"].clone());
        package.insert("_collection".into(), "packages".into());
    }
    packages
}

fn lines(path: &str) -> Vec<Document> {
    let text = fs::read_to_string(repository().join(path)).expect("the documents");
    text.lines().map(|line| serde_json::from_str(line).expect("a document is a JSON object")).collect()
}

/// The values of a field: those of an array one by one, without null.
pub fn values(value: &Value) -> Vec<&Value> {
    let values = match value {
        Value::Array(items) => items.iter().collect(),
        other => vec![other],
    };
    values.into_iter().filter(|value| !value.is_null()).collect()
}

/// A value as text, as JavaScript prints it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => javascript(number.as_f64().expect("a number of JSON")),
        other => other.to_string(),
    }
}

fn javascript(number: f64) -> String {
    let text = if number != 0.0 && (number.abs() >= 1e21 || number.abs() < 1e-6) {
        format!("{number:e}")
    } else {
        format!("{number}")
    };
    match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_javascript_does() {
        for (number, expected) in
            [(5.0, "5"), (-0.5, "-0.5"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (1e-7, "1e-7")]
        {
            assert_eq!(javascript(number), expected);
        }
    }
}
