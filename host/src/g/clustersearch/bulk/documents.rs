//! The documents that a script gives.

use std::{borrow::Cow, fmt::Write};

use serde_json::value::RawValue;

use super::{
    super::{
        body::{check_kind, each_item, each_member, kind},
        name::check_id,
    },
    chunk::MAX_BYTES,
};
use crate::{Error, data::validate::nesting, g::json::quote, gate::Buffer};

/// How deep a document may be nested, as everywhere.
const DEPTH: usize = 1_000;
/// What the action of a document takes beside its id, in bytes, with line breaks.
const ACTION_BYTES: usize = 32;

/// A document.
pub(super) struct Document<'a> {
    /// Its `_id`, which is not a part of what is stored.
    pub(super) id: Option<Cow<'a, str>>,
    /// Its JSON, with the `_id`.
    json: &'a str,
}

/// Reads the documents. `list` counts the memory of their list; they stay in the text.
///
/// Fails with `invalid-argument` or `wrong-kind`, naming the document.
pub(super) fn read<'a>(text: &'a str, list: &mut Buffer) -> Result<Vec<Document<'a>>, Error> {
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

    /// The most bytes that it takes in a request.
    pub(super) fn bytes(&self) -> usize {
        // Every byte of an id may need an escape.
        self.json.len() + ACTION_BYTES + self.id.as_ref().map_or(0, |id| 6 * id.len())
    }

    /// Writes its two lines: what to do, and the document without its id.
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
        let _ = each_member(self.json, write); // It was read once already.
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

/// Writes JSON without line breaks, which only a component's JSON may have between its parts.
fn write_as_one_line(out: &mut String, json: &str) {
    if json.contains(['\n', '\r']) {
        out.extend(json.chars().map(|one| if matches!(one, '\n' | '\r') { ' ' } else { one }));
    } else {
        *out += json;
    }
}

/// Returns the `_id` of a document.
fn id<'a>(position: usize, json: &'a str) -> Result<Option<Cow<'a, str>>, Error> {
    // The name may have escapes in the JSON of a component; the server refuses those.
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
    let _ = write!(what, "documents[{position}]._id"); // A string takes any text.
    if has_another {
        return Err(Error::invalid(format!("{what} is there twice")));
    }
    if !value.get().starts_with('"') {
        return Err(Error::wrong_kind(format!("{what} must be a string, not {}", kind(value.get()))));
    }
    let id: String = serde_json::from_str(value.get()).map_err(|_| unreadable())?;
    check_id(&what, &id)?;
    Ok(Some(id.into()))
}
