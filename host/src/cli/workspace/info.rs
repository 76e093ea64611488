//! The output of `ghost workspace info`: tables on a terminal, JSON elsewhere.

use ghost::{
    search,
    workspace::{CollectionInfo, Info},
};
use indicatif::{BinaryBytes, HumanCount};
use serde::Serialize;

use crate::cli::{
    queue::show::{self, QueueLine},
    table::{Side, Table, counted},
    terminal::escape,
};

pub(super) fn for_terminal(info: &Info, name: &str, width: usize) -> String {
    let (collections, queues) = (&info.collections, &info.queues);
    let documents = collections.iter().map(|collection| collection.documents).sum();
    let items = queues.iter().map(|queue| queue.counts.items()).sum();
    let mut text = format!(
        "workspace  {}\nformat     {}\ndisk       {}: database {}, indexes {}, secrets {}\nstore      {} in {}\nqueue      {} in {}\nsearch     {} in {}",
        escape(name),
        info.format,
        BinaryBytes(info.total_bytes),
        BinaryBytes(info.file_bytes),
        BinaryBytes(info.index_bytes),
        BinaryBytes(info.secret_bytes),
        counted(documents, "document"),
        counted(collections.len() as u64, "collection"),
        counted(items, "item"),
        counted(queues.len() as u64, "queue"),
        counted(info.searched.iter().map(|found| found.documents).sum(), "document"),
        counted(info.searched.len() as u64, "collection")
    );
    if !collections.is_empty() {
        let mut table = Table::new([("COLLECTION", Side::Left), ("DOCUMENTS", Side::Right), ("SIZE", Side::Right)]);
        for collection in collections {
            let (documents, bytes) = (HumanCount(collection.documents), BinaryBytes(collection.bytes));
            table.row([collection.name.clone(), documents.to_string(), bytes.to_string()]);
        }
        text += &format!("\n\n{}", table.lines(width));
    }
    if !queues.is_empty() {
        text += &format!("\n\n{}", show::table(queues, width));
    }
    text
}

/// The output of `info` as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InfoLine<'i> {
    path: String,
    format: u64,
    file_bytes: u64,
    index_bytes: u64,
    secret_bytes: u64,
    total_bytes: u64,
    store: Store<'i>,
    queue: Queue<'i>,
    search: Search<'i>,
}

#[derive(Serialize)]
struct Store<'i> {
    collections: Vec<Collection<'i>>,
}

#[derive(Serialize)]
struct Collection<'i> {
    name: &'i str,
    documents: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct Queue<'i> {
    queues: Vec<QueueLine<'i>>,
}

#[derive(Serialize)]
struct Search<'i> {
    collections: Vec<Searched<'i>>,
}

#[derive(Serialize)]
struct Searched<'i> {
    name: &'i str,
    documents: u64,
}

impl<'i> InfoLine<'i> {
    pub(super) fn of(info: &'i Info) -> Self {
        let collection = |CollectionInfo { name, documents, bytes }: &'i _| Collection {
            name,
            documents: *documents,
            bytes: *bytes,
        };
        let searched = |found: &'i search::Collection| Searched { name: &found.name, documents: found.documents };
        Self {
            path: info.path.display().to_string(),
            format: info.format,
            file_bytes: info.file_bytes,
            index_bytes: info.index_bytes,
            secret_bytes: info.secret_bytes,
            total_bytes: info.total_bytes,
            store: Store { collections: info.collections.iter().map(collection).collect() },
            queue: Queue { queues: info.queues.iter().map(QueueLine::of).collect() },
            search: Search { collections: info.searched.iter().map(searched).collect() },
        }
    }
}
