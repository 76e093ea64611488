//! `ghost store`: the documents of `g.store`, for people.

mod export;
mod import;
mod show;

use std::{
    io::{self, IsTerminal},
    sync::{Arc, atomic::Ordering},
};

use clap::{Args, Subcommand, ValueEnum};
use ghost::store::{Documents, ListOptions, Sort};

use super::{
    Exit, deliver, input,
    input::Source,
    interrupt, json,
    place::Place,
    prompt, report,
    table::counted,
    trouble::{self, Trouble},
    units,
};

const EXAMPLES: &str = "Examples:
  ghost store collections                   which collections there are
  ghost store list people --limit 10        the ten that were written last
  ghost store get people ada                the data of one document
  ghost store put people ada '{\"born\": 1815}'
  ghost store export > all.jsonl            every document, one a line";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Store {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Place,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the collections
    #[command(after_help = "Examples:
  ghost store collections
  ghost store collections --json")]
    Collections {
        /// Prints one JSON value also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Lists documents of a collection
    #[command(after_help = "Examples:
  ghost store list people
  ghost store list people --sort key --order asc --offset 100
  ghost store list people --json | jq '.[].data'")]
    List(List),
    /// Prints the data of a document, as JSON
    #[command(after_help = "Examples:
  ghost store get people ada
  ghost store get people ada --json | jq -r .updatedAt")]
    Get {
        /// The collection
        collection: String,
        /// The document's key
        key: String,
        /// Prints the whole document: key, data, createdAt, updatedAt
        #[arg(long)]
        json: bool,
    },
    /// Stores a document; makes a workspace if there is none
    #[command(after_help = "Examples:
  ghost store put people ada '{\"born\": 1815}'
  ghost store put people ada @ada.json
  curl -s ... | ghost store put people ada")]
    Put {
        /// The collection; it is there as soon as it holds a document
        collection: String,
        /// The document's key; what is stored under it is replaced
        key: String,
        /// JSON, @FILE, or `-` for standard input
        #[arg(value_name = "JSON|@FILE|-", default_value = "-", hide_default_value = true, allow_hyphen_values = true)]
        value: String,
    },
    /// Deletes documents
    #[command(after_help = "Example:
  ghost store delete people ada grace")]
    Delete {
        /// The collection
        collection: String,
        /// The keys of the documents
        #[arg(required = true, value_name = "KEY")]
        keys: Vec<String>,
    },
    /// Prints how many documents a collection has
    #[command(after_help = "Example:
  ghost store count people")]
    Count {
        /// The collection
        collection: String,
    },
    /// Deletes all documents of a collection; asks first on a terminal, and only there
    #[command(after_help = "Examples:
  ghost store clear people
  ghost store clear people --yes          in a script that somebody runs on a terminal")]
    Clear {
        /// The collection
        collection: String,
        /// Does not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Prints documents as JSON Lines: collection, key, data, createdAt, updatedAt
    ///
    /// They come by their keys. Those that others change meanwhile come as they are when their turn comes; for all as of one
    /// moment: ghost workspace backup.
    #[command(after_help = "Examples:
  ghost store export > all.jsonl
  ghost store export people | jq -c .data")]
    Export {
        /// Only this collection
        collection: Option<String>,
    },
    /// Stores documents from JSON Lines; makes a workspace if there is none
    ///
    /// A line is as export prints it; createdAt and updatedAt are kept if they are there. With --key a line is a document's
    /// data. Each line is stored when it is read: a wrong one ends the import, and those before it stay.
    #[command(
        override_usage = "ghost store import [OPTIONS] [FILE]\n       ghost store import [OPTIONS] <COLLECTION> <FILE>",
        after_help = "Examples:
  ghost store import all.jsonl                  what export printed
  ghost store import copy all.jsonl             all into the collection copy
  ghost store import --key id people rows.jsonl
  curl -s ... | ghost store import people -"
    )]
    Import(import::Import),
}

#[derive(Args)]
struct List {
    /// The collection
    collection: String,
    /// How many documents at the most
    #[arg(long, default_value_t = ListOptions::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// How many are passed over before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
    offset: u32,
    /// What they are ordered by
    #[arg(long, value_enum, default_value = "updatedAt")]
    sort: SortArgument,
    /// Which way they are ordered
    #[arg(long, value_enum, default_value = "desc")]
    order: Order,
    /// Prints one JSON value also on a terminal
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "camelCase")]
enum SortArgument {
    Key,
    CreatedAt,
    UpdatedAt,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    Asc,
    Desc,
}

impl List {
    fn options(&self) -> ListOptions {
        let sort = match self.sort {
            SortArgument::Key => Sort::Key,
            SortArgument::CreatedAt => Sort::CreatedAt,
            SortArgument::UpdatedAt => Sort::UpdatedAt,
        };
        let (limit, offset, descending) = (self.limit, self.offset, self.order == Order::Desc);
        ListOptions { limit, offset, sort, descending, ..ListOptions::default() }
    }
}

impl Store {
    pub(crate) fn run(self) -> Exit {
        trouble::exit(match &self.command {
            Command::Collections { json } => self.documents().and_then(|mut it| show::collections(&mut it, *json)),
            Command::List(list) => self.documents().and_then(|mut it| show_list(&mut it, list)),
            Command::Get { collection, key, json } => self.documents().and_then(|mut it| {
                if let Some(document) = it.get(collection, key)? {
                    return Ok(show::document(&document, *json));
                }
                known(&mut it, collection)?;
                Err(missing(collection, key))
            }),
            Command::Put { collection, key, value } => self.put(collection, key, value),
            Command::Delete { collection, keys } => self.delete(collection, keys),
            Command::Count { collection } => {
                self.documents().and_then(|mut it| Ok(deliver(&known(&mut it, collection)?.to_string())))
            }
            Command::Clear { collection, yes } => self.clear(collection, *yes),
            Command::Export { collection } => self.export(collection.as_deref()),
            Command::Import(import) => self.import(import),
        })
    }

    /// The documents of a workspace that is there.
    fn documents(&self) -> Result<Documents, Trouble> {
        Ok(Documents::of(&self.place.existing()?))
    }

    fn put(&self, collection: &str, key: &str, value: &str) -> Result<Exit, Trouble> {
        let source = Source::of(value);
        if source == Source::Standard && io::stdin().is_terminal() {
            report::note("reading JSON from standard input");
        }
        let data = input::json_of(&source)?;
        self.place.with_workspace(|workspace| {
            let mut documents = Documents::of(workspace);
            documents.put(collection, key, &json::compact(&data))?;
            documents.save()?;
            Ok(Exit::Success)
        })
    }

    fn delete(&self, collection: &str, keys: &[String]) -> Result<Exit, Trouble> {
        let mut documents = self.documents()?;
        known(&mut documents, collection)?;
        let (mut exit, mut deleted) = (Exit::Success, 0);
        for key in keys {
            if documents.delete(collection, key)? {
                deleted += 1;
            } else {
                exit = missing(collection, key).tell();
            }
        }
        documents.save()?;
        tell_deleted(deleted, collection);
        Ok(exit)
    }

    fn clear(&self, collection: &str, yes: bool) -> Result<Exit, Trouble> {
        let mut documents = self.documents()?;
        let count = known(&mut documents, collection)?;
        if !prompt::permits(yes, || format!("delete {} of {collection}?", counted(count, "document")))? {
            return Ok(Exit::Failed);
        }
        // Others may have changed it while somebody thought about it.
        let count = known(&mut documents, collection)?;
        documents.clear(collection)?;
        documents.save()?;
        tell_deleted(count, collection);
        Ok(Exit::Success)
    }

    fn import(&self, import: &import::Import) -> Result<Exit, Trouble> {
        import.check()?;
        self.place.with_workspace(|workspace| import.run(workspace))
    }

    fn export(&self, only: Option<&str>) -> Result<Exit, Trouble> {
        let stop = interrupt::flag_with_grace(interrupt::GRACE)?;
        let workspace = self.place.existing()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let exported = export::run(&mut Documents::of(&workspace), only, &stop);
        if stop.load(Ordering::Acquire) { Ok(Exit::Interrupted) } else { exported }
    }
}

fn show_list(documents: &mut Documents, list: &List) -> Result<Exit, Trouble> {
    let options = list.options();
    let page = documents.list(&list.collection, &options)?;
    let count = known(documents, &list.collection)?;
    Ok(show::list(&page, count, &options, list.json))
}

fn tell_deleted(count: u64, collection: &str) {
    report::note(&format!("deleted {} of {collection}", counted(count, "document")));
}

/// How many documents a collection has that is there.
fn known(documents: &mut Documents, collection: &str) -> Result<u64, Trouble> {
    match documents.count(collection)? {
        0 => Err(Trouble::failed(format!("there is no collection {collection}"))),
        count => Ok(count),
    }
}

fn missing(collection: &str, key: &str) -> Trouble {
    Trouble::failed(format!("{collection} has no document {key}"))
}
