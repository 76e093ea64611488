//! `ghost search`: queries the documents of `g.search`, and maintains the indexes.

pub(super) mod show;

use std::{
    io::{self, IsTerminal},
    sync::{Arc, atomic::Ordering},
};

use clap::{Args, Subcommand};
use ghost::{
    search::{IndexInfo, Marks, Options, Searches},
    store::Documents,
};
use indicatif::{BinaryBytes, HumanCount};
use serde::Serialize;

use super::{
    Exit, deliver, deliver_styled, interrupt,
    json::print_json,
    problem::{self, Problem},
    progress, report,
    table::{self, counted},
    units,
    workspace_args::WorkspaceArgs,
};
use show::{FoundLine, Shown, Style};

#[derive(Args)]
#[command(after_help = "Examples:
  ghost search query 'title:tea AND year:[2000 TO *]'
  ghost search query roam~ --collection pages --json
  ghost search rebuild")]
pub(crate) struct Search {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the documents that match a query, best first
    #[command(after_help = "Examples:
  ghost search query 'green tea'    documents with at least one of the words
  ghost search query '\"green tea\" AND NOT pot'
  ghost search query 'year:[2000 TO *]' --collection books --limit 5
  ghost search query 'te* title:roam~' --json | jq -r '.[].key'

The query language is described in docs/query-language.md.")]
    Query(Query),
    /// Rebuilds the indexes of g.search and g.store.search from the documents
    ///
    /// An index that is missing or corrupt, or that a power failure or a change from outside may have damaged, is rebuilt
    /// automatically, so this command is not needed for correct results.
    #[command(after_help = "Example:
  ghost search rebuild")]
    Rebuild,
    /// Shows the size of the index of g.search
    #[command(after_help = "Examples:
  ghost search info
  ghost search info --json | jq .bytes")]
    Info {
        /// Prints JSON, also on a terminal
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
struct Query {
    /// The query, in Lucene's syntax
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// The collection to search [default: all]
    #[arg(long)]
    collection: Option<String>,
    /// The maximum number of results
    #[arg(long, default_value_t = Options::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// The number of results to skip before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
    offset: u32,
    /// Prints JSON, also on a terminal
    #[arg(long)]
    json: bool,
}

/// The output of `info` as JSON.
#[derive(Serialize)]
struct InfoLine {
    documents: u64,
    waiting: Option<u64>,
    bytes: u64,
}

impl Search {
    pub(crate) fn run(self) -> Exit {
        problem::exit(self.workspace.existing().map_err(Problem::from).and_then(|workspace| {
            progress::show_indexing(&workspace);
            let stop = interrupt::flag()?;
            workspace.interrupt_when(Arc::clone(&stop));
            let mut searches = Searches::of(&workspace);
            let done = match &self.command {
                Command::Query(query) => query.run(&mut searches),
                Command::Rebuild => rebuild(&mut searches, &mut Documents::of(&workspace)),
                Command::Info { json } => info(&mut searches, *json),
            };
            done.map_err(|problem| if stop.load(Ordering::Acquire) { interrupted() } else { problem })
        }))
    }
}

pub(super) fn interrupted() -> Problem {
    let message = "interrupted; the next query continues to index from here".into();
    Problem { exit: Exit::Interrupted, message }
}

fn rebuild(searches: &mut Searches, documents: &mut Documents) -> Result<Exit, Problem> {
    let (searched, stored) = (searches.rebuild()?, documents.rebuild_index()?);
    report::note(&format!(
        "rebuilt the index of g.search from {}, and that of g.store.search from {}",
        counted(searched, "document"),
        counted(stored, "document")
    ));
    Ok(Exit::Success)
}

fn info(searches: &mut Searches, json: bool) -> Result<Exit, Problem> {
    let IndexInfo { documents, waiting, bytes } = searches.info()?;
    if json || table::width().is_none() {
        return Ok(print_json(&InfoLine { documents, waiting, bytes }));
    }
    let waiting = match waiting {
        None => "all documents; the next query builds the index".into(),
        Some(changes) => counted(changes, "change"),
    };
    let documents = HumanCount(documents);
    Ok(deliver(&format!("documents  {documents}\nindex      {}\nto index   {waiting}", BinaryBytes(bytes))))
}

impl Query {
    fn run(&self, searches: &mut Searches) -> Result<Exit, Problem> {
        let mut options = Options { collection: self.collection.clone(), limit: self.limit, offset: self.offset };
        let Some(width) = table::width().filter(|_| !self.json) else {
            let found = searches.query(&self.query, &options)?;
            return Ok(print_json(&found.iter().map(FoundLine::of).collect::<Vec<_>>()));
        };
        // One more than the page, to detect whether there are more.
        options.limit += 1;
        let found = searches.query(&self.query, &options)?;
        let style = Style { width, has_colour: report::is_coloured(io::stdout().is_terminal()) };
        let page = show::Page { limit: self.limit, offset: self.offset };
        let shown: Vec<_> = found.iter().map(Shown::of).collect();
        Ok(deliver_styled(&show::for_terminal(&shown, &page, &Marks::of(&self.query)?, &style)))
    }
}
