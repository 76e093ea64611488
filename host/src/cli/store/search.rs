//! `ghost store search`: queries the documents of a collection.

use std::io::{self, IsTerminal};

use clap::Args;
use ghost::{
    search::Marks,
    store::{Document, Documents, SearchOptions},
};
use serde_json::Value;

use super::{existing_count, show};
use crate::cli::{
    Exit, deliver_styled,
    problem::Problem,
    report,
    search::show::{Page, Shown, Style, for_terminal},
    table, units,
};

#[derive(Args)]
pub(super) struct Search {
    /// The collection
    collection: String,
    /// The query, in Lucene's syntax
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// The maximum number of results
    #[arg(long, default_value_t = SearchOptions::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// The number of results to skip before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
    offset: u32,
    /// Prints JSON, also on a terminal
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(&self, documents: &mut Documents) -> Result<Exit, Problem> {
        existing_count(documents, &self.collection)?;
        let mut options = SearchOptions { limit: self.limit, offset: self.offset, ..SearchOptions::default() };
        let Some(width) = table::width().filter(|_| !self.json) else {
            return Ok(show::json_array(&documents.search(&self.collection, &self.query, &options)?));
        };
        // One more than the page, to detect whether there are more.
        options.limit += 1;
        let found = documents.search(&self.collection, &self.query, &options)?;
        let shown: Vec<_> = found.iter().map(|document| self.shown(document)).collect();
        let style = Style { width, has_colour: report::is_coloured(io::stdout().is_terminal()) };
        let page = Page { limit: self.limit, offset: self.offset };
        Ok(deliver_styled(&for_terminal(&shown, &page, &Marks::of(&self.query)?, &style)))
    }

    fn shown<'s>(&'s self, document: &'s Document) -> Shown<'s> {
        // serde_json rejects an unpaired surrogate.
        let data = serde_json::from_str(&document.data).unwrap_or_else(|_| Value::String(document.data.clone()));
        let fields = if data.is_object() { data } else { serde_json::json!({ "data": data }) };
        Shown { collection: &self.collection, key: &document.key, score: None, fields }
    }
}
