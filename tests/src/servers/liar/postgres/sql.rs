//! What a statement asks for, as far as the server has to know.

use super::STRANGE;

pub(super) fn returns_rows(sql: &str) -> bool {
    let first = sql.split(|one: char| !one.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    ["select", "with", "values", "table", "show"].contains(&first.to_lowercase().as_str())
}

/// Whether it is the client's own question about types.
pub(super) fn is_about_types(sql: &str) -> bool {
    sql.contains("typdelim") || sql.contains("typbasetype")
}

/// The names that a statement selects, without the tables that they are of.
pub(super) fn selected(sql: &str) -> Vec<String> {
    let upper = sql.to_uppercase();
    let start = upper.find("SELECT").map_or(0, |at| at + 6);
    let end = upper.find("FROM").unwrap_or(sql.len()).max(start);
    let names = sql[start..end].split(',').map(|one| one.rsplit(['.', ' ', ':']).next().unwrap_or_default().trim());
    names.map(str::to_lowercase).collect()
}

/// The types that a statement asks for by their numbers.
pub(super) fn asked(sql: &str) -> Vec<u32> {
    let list = sql.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(list, _)| list);
    let found: Vec<_> = list.split(',').filter_map(|oid| oid.trim().parse().ok()).collect();
    if found.is_empty() { vec![STRANGE] } else { found }
}

/// The type of a column of the catalog.
pub(super) fn catalog_type(name: &str) -> u32 {
    match name {
        "typtype" | "typdelim" => 18,
        "typname" | "nspname" => 19,
        _ => 26,
    }
}

/// What the server says of a statement that it has carried out.
pub(super) fn completed(verb: &str, rows: usize) -> String {
    match verb {
        "SELECT" | "WITH" | "VALUES" | "TABLE" => format!("SELECT {rows}"),
        "INSERT" => format!("INSERT 0 {rows}"),
        "UPDATE" | "DELETE" => format!("{verb} {rows}"),
        _ => verb.to_owned(),
    }
}
