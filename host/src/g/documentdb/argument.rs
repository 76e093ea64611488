//! Reads the arguments of methods: documents, filters, updates and pipelines. `memory` counts the returned values, so
//! it must live as long as they do.

use mongodb::{
    bson::{Bson, Document, RawDocumentBuf},
    options::UpdateModifications,
};

use super::{
    filter::match_both_id_forms,
    text::{self, Expected, MAX_DOCUMENT, Memory},
};
use crate::Error;

/// Reads a document to store.
pub(super) fn document(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<RawDocumentBuf, Error> {
    let (document, bytes) = tree(memory, argument, text)?;
    encode_and_count(memory, argument, &document, bytes)
}

/// Reads an array of documents to store.
pub(super) fn documents(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<Vec<RawDocumentBuf>, Error> {
    let mut documents = Vec::new();
    text::documents(argument, text, memory, &mut |path, document| {
        let document = encoded(path, &document)?;
        let bytes = document.as_bytes().len();
        documents.push(document);
        Ok(bytes)
    })?;
    Ok(documents)
}

/// Reads a document that is not stored: a filter, a sort order, a projection, the keys of an index.
pub(super) fn plain(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<Document, Error> {
    let (document, _) = tree(memory, argument, text)?;
    encoded(argument, &document)?;
    Ok(document)
}

/// Reads a document. Also returns the bytes by which `memory` has grown.
fn tree(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<(Document, usize), Error> {
    match text::read(argument, text, Expected::Document, memory)? {
        (Bson::Document(document), bytes) => Ok((document, bytes)),
        _ => Err(Error::wrong_kind(format!("{argument} must be a document"))),
    }
}

/// Encodes a document. `memory` counts the encoded bytes in place of the `bytes` of the document's tree, which the
/// caller drops.
fn encode_and_count(
    memory: &mut dyn Memory,
    argument: &str,
    document: &Document,
    bytes: usize,
) -> Result<RawDocumentBuf, Error> {
    let encoded = encoded(argument, document)?;
    memory.grow(encoded.as_bytes().len())?;
    memory.shrink(bytes);
    Ok(encoded)
}

/// Reads a filter; without one, all documents match.
pub(super) fn filter(memory: &mut dyn Memory, text: Option<&str>) -> Result<Document, Error> {
    filter_of(memory, "filter", text.unwrap_or("{}"))
}

/// Reads the filter in an argument.
pub(super) fn filter_of(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<Document, Error> {
    plain(memory, argument, text).map(match_both_id_forms)
}

/// Reads an update. Refuses an update without operators, by which MongoDB would replace the document.
pub(super) fn update(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<UpdateModifications, Error> {
    match text::read(argument, text, Expected::Either, memory)?.0 {
        Bson::Document(update) => {
            let Some(first) = update.keys().find(|name| !name.starts_with('$')) else {
                if update.is_empty() {
                    return Err(Error::invalid(format!("{argument} is empty; it must have operators such as $set")));
                }
                encoded(argument, &update)?;
                return Ok(UpdateModifications::Document(update));
            };
            Err(Error::invalid(format!(
                "{argument} must have operators such as $set, not the member {}; replaceOne replaces a document",
                shown(first)
            )))
        }
        pipeline => {
            let stages = stages(argument, pipeline)?;
            if stages.is_empty() {
                return Err(Error::invalid(format!("{argument} is an empty pipeline")));
            }
            Ok(UpdateModifications::Pipeline(stages))
        }
    }
}

/// Reads a document that replaces another one. Refuses operators.
pub(super) fn replacement(memory: &mut dyn Memory, argument: &str, text: &str) -> Result<RawDocumentBuf, Error> {
    let (document, bytes) = tree(memory, argument, text)?;
    if let Some(operator) = document.keys().find(|name| name.starts_with('$')) {
        return Err(Error::invalid(format!(
            "{argument} must be a document, not the operator {}; updateOne changes a document",
            shown(operator)
        )));
    }
    encode_and_count(memory, argument, &document, bytes)
}

/// Reads the stages of an aggregation.
pub(super) fn pipeline(memory: &mut dyn Memory, text: &str) -> Result<Vec<Document>, Error> {
    stages("pipeline", text::read("pipeline", text, Expected::Documents, memory)?.0)
}

/// Returns the documents of an array that [`text::read`] has checked.
fn stages(argument: &str, value: Bson) -> Result<Vec<Document>, Error> {
    let Bson::Array(items) = value else { return Ok(Vec::new()) };
    let documents = items.into_iter().filter_map(|item| match item {
        Bson::Document(document) => Some(document),
        _ => None,
    });
    let stages: Vec<_> = documents.collect();
    for (index, stage) in stages.iter().enumerate() {
        encoded(&format!("{argument}[{index}]"), stage)?;
    }
    Ok(stages)
}

/// Encodes a document. Fails if it exceeds MongoDB's limit.
fn encoded(argument: &str, document: &Document) -> Result<RawDocumentBuf, Error> {
    let encoded =
        RawDocumentBuf::try_from(document).map_err(|_| Error::invalid(format!("{argument} is not valid BSON")))?;
    match encoded.as_bytes().len() {
        bytes if bytes > MAX_DOCUMENT => {
            Err(Error::invalid(format!("{argument} is {bytes} bytes, the limit is {MAX_DOCUMENT}")))
        }
        _ => Ok(encoded),
    }
}

/// Formats the name of a member for a message.
fn shown(name: &str) -> String {
    format!("{:?}", name.chars().take(60).collect::<String>())
}
