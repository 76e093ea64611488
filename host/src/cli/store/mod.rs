//! `ghost store`: shows and changes the documents of `g.store`.

mod export;
mod import;
mod search;
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
    problem::{self, Problem},
    progress, prompt, report,
    table::counted,
    units,
    workspace_args::WorkspaceArgs,
};

const EXAMPLES: &str = "Examples:
  ghost store collections                   list the collections
  ghost store list people --limit 10        list the ten documents written last
  ghost store get people ada                print the data of one document
  ghost store put people ada '{\"born\": 1815}'
  ghost store export > all.jsonl            write all documents, one per line";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Store {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the collections
    #[command(after_help = "Examples:
  ghost store collections
  ghost store collections --json")]
    Collections {
        /// Prints JSON instead of a table, also on a terminal
        #[arg(long)]
        json: bool,
    },
    /// Lists documents of a collection
    #[command(after_help = "Examples:
  ghost store list people
  ghost store list people --sort key --order asc --offset 100
  ghost store list people --json | jq '.[].data'")]
    List(List),
    /// Prints the documents of a collection that match a query, best first
    #[command(after_help = "Examples:
  ghost store search people 'name:ada OR born:[1800 TO 1850]'
  ghost store search people lovelac~ --json | jq -r '.[].key'

The query language is described in docs/query-language.md.")]
    Search(search::Search),
    /// Prints the data of a document, as JSON
    #[command(after_help = "Examples:
  ghost store get people ada
  ghost store get people ada --json | jq -r .updatedAt")]
    Get {
        /// The collection
        collection: String,
        /// The key of the document
        key: String,
        /// Prints the complete document: key, data, createdAt, updatedAt
        #[arg(long)]
        json: bool,
    },
    /// Stores a document; creates a workspace if there is none
    #[command(after_help = "Examples:
  ghost store put people ada '{\"born\": 1815}'
  ghost store put people ada @ada.json
  curl -s ... | ghost store put people ada")]
    Put {
        /// The collection; the first document creates it
        collection: String,
        /// The key of the document; a document with this key is replaced
        key: String,
        /// The data: JSON, @FILE, or `-` for standard input [default: -]
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
    /// Prints the number of documents of a collection
    #[command(after_help = "Example:
  ghost store count people")]
    Count {
        /// The collection
        collection: String,
    },
    /// Deletes all documents of a collection; asks for confirmation on a terminal
    #[command(after_help = "Examples:
  ghost store clear people
  ghost store clear people --yes          do not ask")]
    Clear {
        /// The collection
        collection: String,
        /// Does not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
    /// Prints documents as JSON Lines: collection, key, data, createdAt, updatedAt
    ///
    /// Documents are in the order of their keys. A document that another process changes during the export is printed as it
    /// is when it is read. For a consistent copy of all documents, use ghost workspace backup.
    #[command(after_help = "Examples:
  ghost store export > all.jsonl
  ghost store export people | jq -c .data")]
    Export {
        /// The collection to export [default: all]
        collection: Option<String>,
    },
    /// Stores documents from JSON Lines; creates a workspace if there is none
    ///
    /// Each line has the format of export; createdAt and updatedAt are optional. With --key, each line is the data of a
    /// document. An invalid line ends the import; the documents of the lines before it stay stored.
    #[command(
        override_usage = "ghost store import [OPTIONS] [FILE]\n       ghost store import [OPTIONS] <COLLECTION> <FILE>",
        after_help = "Examples:
  ghost store import all.jsonl                  import the output of export
  ghost store import copy all.jsonl             import into the collection copy
  ghost store import --key id people rows.jsonl
  curl -s ... | ghost store import people -"
    )]
    Import(import::Import),
}

#[derive(Args)]
struct List {
    /// The collection
    collection: String,
    /// The maximum number of documents
    #[arg(long, default_value_t = ListOptions::default().limit, value_parser = units::natural, allow_negative_numbers = true)]
    limit: u32,
    /// The number of documents to skip before the first
    #[arg(long, default_value_t = 0, value_parser = units::natural, allow_negative_numbers = true)]
    offset: u32,
    /// The value to sort by
    #[arg(long, value_enum, default_value = "updatedAt")]
    sort: SortArgument,
    /// The direction: ascending or descending
    #[arg(long, value_enum, default_value = "desc")]
    order: Order,
    /// Prints JSON instead of a table, also on a terminal
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
        problem::exit(match &self.command {
            Command::Collections { json } => self.documents().and_then(|mut it| show::collections(&mut it, *json)),
            Command::List(list) => self.documents().and_then(|mut it| show_list(&mut it, list)),
            Command::Search(search) => self.search(search),
            Command::Get { collection, key, json } => self.documents().and_then(|mut it| {
                if let Some(document) = it.get(collection, key)? {
                    return Ok(show::document(&document, *json));
                }
                existing_count(&mut it, collection)?;
                Err(missing(collection, key))
            }),
            Command::Put { collection, key, value } => self.put(collection, key, value),
            Command::Delete { collection, keys } => self.delete(collection, keys),
            Command::Count { collection } => {
                self.documents().and_then(|mut it| Ok(deliver(&existing_count(&mut it, collection)?.to_string())))
            }
            Command::Clear { collection, yes } => self.clear(collection, *yes),
            Command::Export { collection } => self.export(collection.as_deref()),
            Command::Import(import) => self.import(import),
        })
    }

    /// Returns the documents of the existing workspace.
    fn documents(&self) -> Result<Documents, Problem> {
        Ok(Documents::of(&self.workspace.existing()?))
    }

    fn search(&self, search: &search::Search) -> Result<Exit, Problem> {
        let workspace = self.workspace.existing()?;
        progress::show_indexing(&workspace);
        let stop = interrupt::flag()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let found = search.run(&mut Documents::of(&workspace));
        found.map_err(|problem| if stop.load(Ordering::Acquire) { super::search::interrupted() } else { problem })
    }

    fn put(&self, collection: &str, key: &str, value: &str) -> Result<Exit, Problem> {
        let source = Source::of(value);
        if source == Source::Standard && io::stdin().is_terminal() {
            report::note("reading JSON from standard input");
        }
        let data = input::json_of(&source)?;
        self.workspace.with_workspace(|workspace| {
            let mut documents = Documents::of(workspace);
            documents.put(collection, key, &json::compact(&data))?;
            documents.save()?;
            Ok(Exit::Success)
        })
    }

    fn delete(&self, collection: &str, keys: &[String]) -> Result<Exit, Problem> {
        let mut documents = self.documents()?;
        existing_count(&mut documents, collection)?;
        let (mut exit, mut deleted) = (Exit::Success, 0);
        for key in keys {
            if documents.delete(collection, key)? {
                deleted += 1;
            } else {
                exit = missing(collection, key).report();
            }
        }
        documents.save()?;
        report_deleted(deleted, collection);
        Ok(exit)
    }

    fn clear(&self, collection: &str, yes: bool) -> Result<Exit, Problem> {
        let mut documents = self.documents()?;
        let count = existing_count(&mut documents, collection)?;
        if !prompt::confirm(yes, || format!("delete {} of {collection}?", counted(count, "document")))? {
            return Ok(Exit::Failed);
        }
        // Counted again, because another process may have changed the collection during the prompt.
        let count = existing_count(&mut documents, collection)?;
        documents.clear(collection)?;
        documents.save()?;
        report_deleted(count, collection);
        Ok(Exit::Success)
    }

    fn import(&self, import: &import::Import) -> Result<Exit, Problem> {
        import.check()?;
        self.workspace.with_workspace(|workspace| import.run(workspace))
    }

    fn export(&self, only: Option<&str>) -> Result<Exit, Problem> {
        let stop = interrupt::flag_with_grace(interrupt::GRACE)?;
        let workspace = self.workspace.existing()?;
        workspace.interrupt_when(Arc::clone(&stop));
        let exported = export::run(&mut Documents::of(&workspace), only, &stop);
        if stop.load(Ordering::Acquire) { Ok(Exit::Interrupted) } else { exported }
    }
}

fn show_list(documents: &mut Documents, list: &List) -> Result<Exit, Problem> {
    let options = list.options();
    let page = documents.list(&list.collection, &options)?;
    let count = existing_count(documents, &list.collection)?;
    Ok(show::list(&page, count, &options, list.json))
}

fn report_deleted(count: u64, collection: &str) {
    report::note(&format!("deleted {} of {collection}", counted(count, "document")));
}

/// Returns the number of documents of an existing collection.
fn existing_count(documents: &mut Documents, collection: &str) -> Result<u64, Problem> {
    match documents.count(collection)? {
        0 => Err(Problem::failed(format!(
            "there is no collection \"{collection}\"; to list the collections: ghost store collections"
        ))),
        count => Ok(count),
    }
}

fn missing(collection: &str, key: &str) -> Problem {
    Problem::failed(format!("collection \"{collection}\" has no document \"{key}\""))
}
