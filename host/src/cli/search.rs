//! `ghost search`: the documents of `g.search`, for people.

use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use ghost::search::{Found, IndexInfo, Options, Searches};
use indicatif::BinaryBytes;
use serde_json::{Value, json};

use super::{
    Exit, deliver, interrupt,
    place::Place,
    progress, report,
    table::counted,
    terminal::harmless,
    trouble::{self, Trouble},
};

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
    Query(Query),
    /// Makes the index anew from the documents
    Rebuild,
    /// Prints how large the index is
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
    #[arg(long, default_value_t = Options::default().limit)]
    limit: u32,
    /// How many are passed over before the first
    #[arg(long, default_value_t = 0)]
    offset: u32,
    /// Prints one JSON value also on a terminal
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(crate) fn run(self) -> Exit {
        trouble::exit(self.place.existing().map_err(Trouble::from).and_then(|workspace| {
            progress::show_indexing(&workspace);
            workspace.interrupt_when(interrupt::flag()?);
            let mut searches = Searches::of(&workspace);
            match &self.command {
                Command::Query(query) => query.run(&mut searches),
                Command::Rebuild => rebuild(&mut searches),
                Command::Info { json } => info(&mut searches, *json),
            }
        }))
    }
}

fn rebuild(searches: &mut Searches) -> Result<Exit, Trouble> {
    let documents = searches.rebuild()?;
    report::note(&format!("made the index anew of {}", counted(documents, "document")));
    Ok(Exit::Success)
}

fn info(searches: &mut Searches, json: bool) -> Result<Exit, Trouble> {
    let IndexInfo { documents, waiting, bytes } = searches.info()?;
    if json || !io::stdout().is_terminal() {
        return Ok(deliver(&json!({ "documents": documents, "waiting": waiting, "bytes": bytes }).to_string()));
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
        let options = Options { collection: self.collection.clone(), limit: self.limit, offset: self.offset };
        let found = searches.query(&self.query, &options)?;
        Ok(deliver(&match self.json || !io::stdout().is_terminal() {
            true => Value::Array(found.iter().map(as_json).collect()).to_string() + "\n",
            false => found.iter().map(shown).collect::<String>() + &counted(found.len() as u64, "result") + "\n",
        }))
    }
}

fn as_json(found: &Found) -> Value {
    // What is stored was checked when it was indexed; half of a surrogate pair is no JSON for everybody.
    let fields: Value = serde_json::from_str(&found.fields).unwrap_or_default();
    json!({ "key": found.key, "collection": found.collection, "score": found.score, "fields": fields })
}

fn shown(found: &Found) -> String {
    let mut text = format!("{}/{}  {:.3}\n", harmless(&found.collection), harmless(&found.key), found.score);
    if let Some(fields) = as_json(found)["fields"].as_object() {
        for (name, value) in fields {
            text += &format!("  {}: {}\n", harmless(name), harmless(value.as_str().unwrap_or_default()));
        }
    }
    text
}
