//! `ghost search`: the documents of `g.search`, for people.

mod show;

use std::{
    io::{self, IsTerminal},
    sync::{Arc, atomic::Ordering},
};

use clap::{Args, Subcommand};
use ghost::search::{IndexInfo, Marks, Options, Searches};
use indicatif::BinaryBytes;
use serde::Serialize;

use super::{
    Exit, deliver, deliver_styled, interrupt,
    json::print_json,
    place::Place,
    progress, report,
    table::{self, counted},
    trouble::{self, Trouble},
    units,
};
use show::{FoundLine, Style};

#[derive(Args)]
#[command(after_help = "Examples:
  ghost search query 'title:tea AND year:[2000 TO *]'
  ghost search query roam~ --collection pages --json
  ghost search rebuild")]
pub(crate) struct Search {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Place,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the documents that a query finds, best first
    #[command(after_help = "Examples:
  ghost search query 'green tea'                        one of the words
  ghost search query '\"green tea\" AND NOT pot'
  ghost search query 'year:[2000 TO *]' --collection books --limit 5
  ghost search query 'te* title:roam~' --json | jq -r '.[].key'

The language: docs/query-language.md")]
    Query(Query),
    /// Makes the index of g.search anew from the documents
    ///
    /// It is never needed to find what is there: an index that is missing, damaged or doubted is made anew by itself.
    #[command(after_help = "Example:
  ghost search rebuild")]
    Rebuild,
    /// Prints how large the index of g.search is
    #[command(after_help = "Examples:
  ghost search info
  ghost search info --json | jq .bytes")]
    Info {
        /// Prints one JSON value also on a terminal
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
struct Query {
    /// In Lucene's query syntax
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// Only this collection
    #[arg(long)]
    collection: Option<String>,
    /// How many results at the most
    #[arg(long, default_value_t = Options::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// How many are passed over before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
    offset: u32,
    /// Prints one JSON value also on a terminal
    #[arg(long)]
    json: bool,
}

/// What an index is like, as programs read it.
#[derive(Serialize)]
struct InfoLine {
    documents: u64,
    waiting: Option<u64>,
    bytes: u64,
}

impl Search {
    pub(crate) fn run(self) -> Exit {
        trouble::exit(self.place.existing().map_err(Trouble::from).and_then(|workspace| {
            progress::show_indexing(&workspace);
            let stop = interrupt::flag()?;
            workspace.interrupt_when(Arc::clone(&stop));
            let mut searches = Searches::of(&workspace);
            let done = match &self.command {
                Command::Query(query) => query.run(&mut searches),
                Command::Rebuild => rebuild(&mut searches),
                Command::Info { json } => info(&mut searches, *json),
            };
            done.map_err(|trouble| if stop.load(Ordering::Acquire) { interrupted() } else { trouble })
        }))
    }
}

fn interrupted() -> Trouble {
    let message = "interrupted; the next query goes on with the index from here".into();
    Trouble { exit: Exit::Interrupted, message }
}

fn rebuild(searches: &mut Searches) -> Result<Exit, Trouble> {
    let documents = searches.rebuild()?;
    report::note(&format!("made the index anew of {}", counted(documents, "document")));
    Ok(Exit::Success)
}

fn info(searches: &mut Searches, json: bool) -> Result<Exit, Trouble> {
    let IndexInfo { documents, waiting, bytes } = searches.info()?;
    if json || table::width().is_none() {
        return Ok(print_json(&InfoLine { documents, waiting, bytes }));
    }
    let waiting = match waiting {
        None => "all documents: the next query makes the index".into(),
        Some(changes) => counted(changes, "change"),
    };
    let documents = counted(documents, "document");
    Ok(deliver(&format!("holds     {documents}\nsize      {} on disk\nto index  {waiting}", BinaryBytes(bytes))))
}

impl Query {
    fn run(&self, searches: &mut Searches) -> Result<Exit, Trouble> {
        let mut options = Options { collection: self.collection.clone(), limit: self.limit, offset: self.offset };
        let Some(width) = table::width().filter(|_| !self.json) else {
            let found = searches.query(&self.query, &options)?;
            return Ok(print_json(&found.iter().map(FoundLine::of).collect::<Vec<_>>()));
        };
        // One more shows that there are more.
        options.limit += 1;
        let found = searches.query(&self.query, &options)?;
        let style = Style { width, has_colour: report::is_coloured(io::stdout().is_terminal()) };
        let page = show::Page { limit: self.limit, offset: self.offset };
        Ok(deliver_styled(&show::for_people(&found, &page, &Marks::of(&self.query)?, &style)))
    }
}
