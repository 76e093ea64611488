//! Prints documents and collections: as tables and indented JSON on a terminal, as one line of JSON elsewhere.

use ghost::store::{Document, Documents, ListOptions, Sort};
use indicatif::HumanCount;
use serde::Serialize;

use crate::cli::{
    Exit, deliver,
    execute::print_result,
    input::quoted,
    json::{self, print_json},
    problem::Problem,
    table::{self, Side, Table},
};

/// A collection as JSON.
#[derive(Serialize)]
struct Collection {
    name: String,
    documents: u64,
}

pub(super) fn collections(documents: &mut Documents, as_json: bool) -> Result<Exit, Problem> {
    let (mut found, mut last) = (Vec::new(), String::new());
    while let Some(name) = documents.next_collection(&last)? {
        found.push((name.clone(), documents.count(&name)?));
        last = name;
    }
    let Some(width) = table::width().filter(|_| !as_json) else {
        let found: Vec<_> = found.into_iter().map(|(name, documents)| Collection { name, documents }).collect();
        return Ok(print_json(&found));
    };
    if found.is_empty() {
        return Ok(deliver("there are no collections"));
    }
    let mut table = Table::new([("COLLECTION", Side::Left), ("DOCUMENTS", Side::Right)]);
    found.into_iter().for_each(|(name, count)| table.row([name, HumanCount(count).to_string()]));
    Ok(deliver(&table.lines(width)))
}

/// Prints a page of a collection; `count` is the total number of documents.
pub(super) fn list(page: &[Document], count: u64, options: &ListOptions, as_json: bool) -> Exit {
    let Some(width) = table::width().filter(|_| !as_json) else {
        return json_array(page);
    };
    let by_creation = options.sort == Sort::CreatedAt;
    let time = if by_creation { "CREATED" } else { "UPDATED" };
    let mut table = Table::new([("KEY", Side::Left), (time, Side::Left), ("DATA", Side::Left)]);
    for document in page {
        let moment = if by_creation { document.created } else { document.updated };
        table.row([document.key.clone(), moment.to_iso(), json::compact(&document.data).into_owned()]);
    }
    let rest = table::rest(page.len(), options.limit, options.offset, count, "document");
    let table = (!page.is_empty()).then(|| table.lines(width));
    deliver(&table.into_iter().chain(rest).collect::<Vec<_>>().join("\n"))
}

/// Prints documents as one array of JSON.
pub(super) fn json_array(documents: &[Document]) -> Exit {
    let documents: Vec<_> = documents.iter().map(|document| to_json(None, document)).collect();
    print_result(&format!("[{}]", documents.join(",")))
}

/// Prints the data of a document, or the complete document.
pub(super) fn document(document: &Document, whole: bool) -> Exit {
    if whole { print_result(&to_json(None, document)) } else { print_result(&json::compact(&document.data)) }
}

/// Returns the line of a document in an export.
pub(super) fn line(collection: &str, document: &Document) -> String {
    to_json(Some(collection), document)
}

/// Returns a document as JSON, with the members of the JavaScript object. Its data is inserted as it is stored.
fn to_json(collection: Option<&str>, document: &Document) -> String {
    let collection = collection.map(|name| format!("\"collection\":{},", quoted(name))).unwrap_or_default();
    format!(
        "{{{collection}\"key\":{},\"data\":{},\"createdAt\":\"{}\",\"updatedAt\":\"{}\"}}",
        quoted(&document.key),
        json::compact(&document.data),
        document.created.to_iso(),
        document.updated.to_iso()
    )
}
