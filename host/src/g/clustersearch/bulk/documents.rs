//! The documents that a script passes.

use std::{borrow::Cow, fmt::Write};

use serde_json::value::RawValue;

use super::{
    super::{
        body::{check_kind, each_item, each_member, kind},
        name::check_id,
    },
    chunk::MAX_BYTES,
};
use crate::{Error, data::validate::nesting, g::json::quote, gate::ByteCounter};

/// How deep a document may be nested: the same limit as for other data.
const DEPTH: usize = 1_000;
/// An upper bound of the length of a document's action line without the id, and of both line breaks, in bytes.
const ACTION_BYTES: usize = 32;

/// A document.
pub(super) struct Document<'a> {
    /// The `_id`, which is not part of the stored document.
    pub(super) id: Option<Cow<'a, str>>,
    /// The JSON, which contains the `_id`.
    json: &'a str,
}

/// Reads the documents, which borrow from the text. `list` counts the memory of their list.
///
/// Fails with `invalid-argument` or `wrong-kind`, naming the document.
pub(super) fn read<'a>(text: &'a str, list: &mut ByteCounter) -> Result<Vec<Document<'a>>, Error> {
    let depth = nesting(text);
    if depth > DEPTH {
        return Err(Error::invalid(format!("documents is nested {depth} levels deep, the limit is {DEPTH}")));
    }
    let mut documents: Vec<Document<'a>> = Vec::new();
    let visit = |item: &'a RawValue| {
        let document = Document::read(documents.len(), item.get())?;
        if documents.len() == documents.capacity() {
            let more = documents.len().max(64);
            list.grow(more * size_of::<Document<'_>>())?;
            documents.reserve_exact(more);
        }
        documents.push(document);
        Ok(())
    };
    each_item(text, visit).ok_or_else(|| Error::wrong_kind("documents must be an array of objects"))??;
    Ok(documents)
}

impl<'a> Document<'a> {
    fn read(position: usize, json: &'a str) -> Result<Self, Error> {
        check_kind(&format!("documents[{position}]"), json)?;
        check_bytes(position, json.len() + ACTION_BYTES)?;
        let document = Self { id: id(position, json)?, json };
        check_bytes(position, document.bytes())?;
        Ok(document)
    }

    /// Returns an upper bound of the document's length in a request, in bytes.
    pub(super) fn bytes(&self) -> usize {
        // Every byte of an id may need an escape.
        self.json.len() + ACTION_BYTES + self.id.as_ref().map_or(0, |id| 6 * id.len())
    }

    /// Writes the two lines of the document: the action, and the document without its id.
    pub(super) fn write(&self, out: &mut String) {
        match &self.id {
            None => {
                *out += "{\"index\":{}}\n";
                write_as_one_line(out, self.json);
            }
            Some(id) => {
                *out += "{\"index\":{\"_id\":";
                quote(out, id);
                *out += "}}\n";
                self.write_without_id(out);
            }
        }
        out.push('\n');
    }

    fn write_without_id(&self, out: &mut String) {
        out.push('{');
        let mut is_first = true;
        let write = |name: Cow<'_, str>, value: &RawValue| {
            if name == "_id" {
                return;
            }
            if !std::mem::take(&mut is_first) {
                out.push(',');
            }
            quote(out, &name);
            out.push(':');
            write_as_one_line(out, value.get());
        };
        let _ = each_member(self.json, write); // can't fail: the document was read before
        out.push('}');
    }
}

fn check_bytes(position: usize, bytes: usize) -> Result<(), Error> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "documents[{position}] is {bytes} bytes in a request, the limit is {MAX_BYTES}; store it with index"
    )))
}

/// Writes JSON with a space for each line break. JSON written by our glue has no line breaks; a script in another
/// language may send some.
fn write_as_one_line(out: &mut String, json: &str) {
    if json.contains(['\n', '\r']) {
        out.extend(json.chars().map(|one| if matches!(one, '\n' | '\r') { ' ' } else { one }));
    } else {
        *out += json;
    }
}

/// Returns the `_id` of a document.
fn id<'a>(position: usize, json: &'a str) -> Result<Option<Cow<'a, str>>, Error> {
    // A script in another language may write the name with escapes; the server refuses such a document.
    if !json.contains("\"_id\"") {
        return Ok(None);
    }
    let unreadable =
        || Error::invalid(format!("documents[{position}] has a name or an _id that is not well-formed Unicode"));
    let (mut first, mut has_another) = (None, false);
    let visit = |name: Cow<'_, str>, value: &'a RawValue| {
        if name == "_id" {
            has_another = first.is_some();
            first = first.or(Some(value));
        }
    };
    each_member(json, visit).map_err(|_| unreadable())?;
    let Some(value) = first else { return Ok(None) };
    let mut what = String::new();
    let _ = write!(what, "documents[{position}]._id"); // can't fail for a `String`
    if has_another {
        return Err(Error::invalid(format!("{what} occurs twice")));
    }
    if !value.get().starts_with('"') {
        return Err(Error::wrong_kind(format!("{what} must be a string, not {}", kind(value.get()))));
    }
    let id: String = serde_json::from_str(value.get()).map_err(|_| unreadable())?;
    check_id(&what, &id)?;
    Ok(Some(id.into()))
}
