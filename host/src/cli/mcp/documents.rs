//! The documents that clients can read and search: the declarations, the reference, the query language, the examples.

use std::sync::{Mutex, PoisonError};

use ghost::{
    Error, ErrorCode, Namespace,
    functions::DECLARATIONS,
    search::{Options, Searches},
    workspace::{Create, Workspace},
};
use serde::Serialize;
use tempfile::TempDir;

pub(super) const DEFAULT_RESULTS: u32 = 5;
pub(super) const MAX_RESULTS: u32 = 20;
/// The characters of a result's text.
const EXCERPT: usize = 1_500;
const COLLECTION: &str = "documents";

/// A document, which is a resource of the server.
pub(super) struct Document {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) media_type: &'static str,
    pub(super) text: &'static str,
}

const fn example(name: &'static str, text: &'static str) -> Document {
    let description = "A script that runs as it is, with the command in its first line";
    Document { name, title: "Example script", description, media_type: "text/javascript", text }
}

macro_rules! example {
    ($name:literal) => {
        example(concat!("examples/", $name), include_str!(concat!("../../../../scripts/", $name)))
    };
}

/// All documents. The examples are those of the folder `scripts`.
pub(super) const DOCUMENTS: &[Document] = &[
    Document {
        name: "g.d.ts",
        title: "Type declarations of g",
        description: "All namespaces, methods and types for TypeScript, and the globals of the engine",
        media_type: "text/plain",
        text: DECLARATIONS,
    },
    Document {
        name: "reference.md",
        title: "Reference of g",
        description: "Each method of each namespace: parameters, result, errors, limits, examples",
        media_type: "text/markdown",
        text: include_str!("../../../../docs/reference.md"),
    },
    Document {
        name: "query-language.md",
        title: "The query language of g.search.query and g.store.search",
        description: "Lucene's syntax: terms, phrases, fields, ranges, wildcards, regular expressions, fuzzy terms",
        media_type: "text/markdown",
        text: include_str!("../../../../docs/query-language.md"),
    },
    example!("changes.js"),
    example!("cluster-packages.js"),
    example!("csv-report.js"),
    example!("document-members.js"),
    example!("hello.js"),
    example!("import-packages.js"),
    example!("index-packages.js"),
    example!("mirror.js"),
    example!("orders.js"),
    example!("producer.js"),
    example!("sql-report.js"),
    example!("todo.js"),
    example!("wordcount.js"),
    example!("worker.js"),
];

impl Document {
    /// `ghost://reference.md`
    pub(super) fn uri(&self) -> String {
        format!("ghost://{}", self.name)
    }
}

/// A part of a document that a search has found.
#[derive(Serialize)]
pub(super) struct Part {
    title: String,
    resource: String,
    text: String,
    /// Whether it is about an external namespace, which is blocked here.
    #[serde(skip)]
    is_blocked: bool,
}

/// A search over the documents, in an index of ghost's own in a temporary folder. The first query creates it.
#[derive(Default)]
pub(super) struct Search(Mutex<Option<Index>>);

struct Index {
    /// Closed before its folder is deleted.
    searches: Searches,
    parts: Vec<Part>,
    _folder: TempDir,
}

impl Search {
    /// Returns the parts that a query finds: first those that a script can use, each best first. Blocks the thread.
    pub(super) fn query(&self, query: &str, limit: u32) -> Result<Vec<Part>, Error> {
        let mut index = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match &mut *index {
            Some(index) => index,
            none => none.insert(Index::new()?),
        };
        match index.query(query, limit) {
            // A question is not a query, but its words are.
            Err(error) if error.code == ErrorCode::QuerySyntax => index.query(&words(query), limit),
            found => found,
        }
    }
}

impl Index {
    fn new() -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("ghost-mcp-").tempdir();
        let folder = folder.map_err(|error| {
            Error::new(ErrorCode::Internal, format!("no temporary folder can be made for the index: {error}"))
        })?;
        let mut searches = Searches::of(&Workspace::at(folder.path(), Create::AtFirstUse));
        let parts: Vec<_> = DOCUMENTS.iter().flat_map(parts).collect();
        for (at, part) in parts.iter().enumerate() {
            // `g.store.put` is one word to the index; its parts are words too.
            let title = format!("{} {}", part.title, part.title.replace('.', " "));
            let fields = serde_json::json!({
                "_collection": COLLECTION, "_key": at.to_string(), "title": title, "text": part.text,
            });
            searches.index(&fields.to_string())?;
        }
        Ok(Self { searches, parts, _folder: folder })
    }

    fn query(&mut self, query: &str, limit: u32) -> Result<Vec<Part>, Error> {
        let options = Options { collection: Some(COLLECTION.into()), limit, offset: 0 };
        let found = self.searches.query(query, &options)?;
        let part = |key: String| self.parts.get(key.parse::<usize>().ok()?).map(Part::excerpt);
        let mut parts: Vec<_> = found.into_iter().filter_map(|found| part(found.key)).collect();
        parts.sort_by_key(|part| part.is_blocked);
        Ok(parts)
    }
}

/// Only the words of a query, without its syntax.
fn words(query: &str) -> String {
    let words = query.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The parts of a document: a part for each heading of Markdown, and one for each example. The declarations have the content
/// of the reference.
fn parts(document: &Document) -> Vec<Part> {
    match document.media_type {
        "text/markdown" => sections(document),
        "text/javascript" => {
            vec![Part::of(document, document.name, document.text)]
        }
        _ => Vec::new(),
    }
}

fn sections(document: &Document) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in document.text.lines() {
        match (line.trim_start_matches('#'), parts.last_mut()) {
            (title, _) if title.starts_with(' ') && line.starts_with('#') => {
                parts.push(Part::of(document, title.trim(), ""));
            }
            (_, Some(part)) => part.text += &format!("{line}\n"),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.text.trim().is_empty());
    parts
}

impl Part {
    fn of(document: &Document, title: &str, text: &str) -> Self {
        let external = Namespace::ALL.iter().filter(|namespace| namespace.is_external());
        let is_blocked = external
            .map(|namespace| format!("g.{}", namespace.name()))
            .any(|name| title == name || [title, text].iter().any(|written| written.contains(&format!("{name}."))));
        Self { title: title.into(), resource: document.uri(), text: text.into(), is_blocked }
    }

    fn excerpt(&self) -> Self {
        let mut text: String = self.text.trim().chars().take(EXCERPT).collect();
        if text.len() < self.text.trim().len() {
            text += "…";
        }
        Self { title: self.title.clone(), resource: self.resource.clone(), text, is_blocked: self.is_blocked }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_example_is_a_document() {
        // Cargo runs tests in the folder of their package.
        let files = fs::read_dir("../scripts").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut examples: Vec<_> = files.filter(|name| name.ends_with(".js")).collect();
        examples.sort();
        let documents: Vec<_> =
            DOCUMENTS.iter().filter_map(|document| document.name.strip_prefix("examples/")).collect();
        assert_eq!(documents, examples);
    }

    #[test]
    fn each_method_is_found_by_its_name() {
        let search = Search::default();
        for (query, title) in [
            ("g.store.put", "g.store.put"),
            ("how do I wait for an item of a queue?", "g.queue.waitForItem"),
            ("title:g.queue.enqueue", "g.queue.enqueue"),
            ("wildcards AND regular AND expression", "The query language"),
            ("dead letter (retry", "g.queue.retry"),
        ] {
            let found = search.query(query, 5).unwrap();
            assert!(
                found.iter().any(|part| part.title == title),
                "{query}: {:?}",
                found.iter().map(|part| &part.title).collect::<Vec<_>>()
            );
            assert!(found.iter().all(|part| part.text.chars().count() <= EXCERPT + 1));
        }
        let titles: Vec<_> = search.query("transaction OR checkout", 10).unwrap();
        let blocked: Vec<_> = titles.iter().map(|part| part.title.starts_with("g.sqldb")).collect();
        assert!(blocked.contains(&true) && blocked.is_sorted(), "{blocked:?}");
        assert!(search.query("xyzzy", 5).unwrap().is_empty());
        assert!(search.query("(", 5).unwrap_or_default().is_empty());
    }
}
