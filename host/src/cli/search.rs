//! `ghost search`: the documents of `g.search`, for people.

use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use ghost::search::{Found, Options, Searches};
use serde_json::{Value, json};

use super::{
    Exit, deliver,
    place::Place,
    progress::Progress,
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
            let mut searches = Searches::of(&workspace);
            match &self.command {
                Command::Query(query) => query.run(&mut searches),
                Command::Rebuild => rebuild(&mut searches),
                Command::Info { json } => info(&mut searches, *json),
            }
        }))
    }
}

/// A bar for documents that are taken in.
fn progress(searches: &mut Searches) -> Result<Progress, Trouble> {
    Ok(Progress::new(Some(searches.count()?), "[{bar:30}] {pos} of {len} documents indexed, {eta} left"))
}

fn rebuild(searches: &mut Searches) -> Result<Exit, Trouble> {
    let mut progress = progress(searches)?;
    let size = searches.rebuild(&mut |documents| progress.advance(documents))?;
    drop(progress);
    super::report::note(&format!("the index holds {}", counted(size.documents, "document")));
    Ok(Exit::Success)
}

fn info(searches: &mut Searches, json: bool) -> Result<Exit, Trouble> {
    let mut progress = progress(searches)?;
    let size = searches.update(&mut |documents| progress.advance(documents))?;
    drop(progress);
    let (documents, segments) = (size.documents, size.segments as u64);
    Ok(deliver(&match json || !io::stdout().is_terminal() {
        true => json!({ "documents": documents, "segments": segments }).to_string() + "\n",
        false => format!("{} in {}\n", counted(documents, "document"), counted(segments, "segment")),
    }))
}

impl Query {
    fn run(&self, searches: &mut Searches) -> Result<Exit, Trouble> {
        let mut progress = progress(searches)?;
        searches.update(&mut |documents| progress.advance(documents))?;
        drop(progress);
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
