//! `ghost workspace check` and `compact`.

use std::fs;

use ghost_tests::folder::Folder;

use crate::commands::{FILLS_A_QUEUE, store, tamper, value, with_people, workspace};

#[test]
fn check_and_compact_print_json_when_they_are_asked() {
    let folder = with_people();
    workspace(&folder, ["check", "--json"]).exits(0).prints("{\"problems\":0,\"first\":[]}\n");
    let compacted = value(workspace(&folder, ["compact", "--json"]));
    assert!(compacted["bytesBefore"].is_u64() && compacted["bytesAfter"].is_u64(), "{compacted}");
}

/// Changes the last bit of a row.
fn flip(transaction: &redb::WriteTransaction, table: redb::TableDefinition<'_, u64, &[u8]>, key: u64) {
    use redb::ReadableTable;
    let mut table = transaction.open_table(table).expect("it is there");
    let mut row = table.get(key).expect("it can be read").expect("it is there").value().to_vec();
    *row.last_mut().expect("it is not empty") ^= 1;
    table.insert(key, row.as_slice()).expect("it can be written");
}

/// Damages a workspace: the check reports it, and a restored backup passes the check.
fn finds(folder: &Folder, change: fn(&redb::WriteTransaction), reported: &str) {
    workspace(folder, ["check"]).exits(0);
    workspace(folder, ["backup", "b"]).exits(0);
    tamper(folder, change);
    workspace(folder, ["check"]).exits(1).says(reported);
    workspace(folder, ["restore", "--force", "b"]).exits(0);
    workspace(folder, ["check"]).exits(0);
}

#[test]
fn the_check_finds_damage_to_a_queue() {
    use redb::TableDefinition;
    const LEASES: TableDefinition<'_, (u64, u64), u32> = TableDefinition::new("queue.leases");
    const PENDING: TableDefinition<'_, (u64, u8, u64), &[u8]> = TableDefinition::new("queue.pending");
    const BODIES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("queue.bodies");
    const COUNTERS: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("queue.counters");
    const NAMES: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("queue.names");
    const QUEUES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("queue.queues");
    const CHECKED_OUT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("queue.checked-out");
    type Change = fn(&redb::WriteTransaction);
    let wrong: [(Change, &str); 12] = [
        (
            |t| drop(t.open_table(LEASES).unwrap().pop_first().unwrap()),
            "checkout 3 has no lease, it would never expire",
        ),
        (|t| drop(t.open_table(LEASES).unwrap().insert((7, 7), 7).unwrap()), "1 leases belong to no checkout"),
        (
            |t| drop(t.open_table(PENDING).unwrap().pop_first().unwrap()),
            "queue \"q\" counts 2 pending items, but has 1",
        ),
        (|t| drop(t.open_table(PENDING).unwrap().insert((1, 0, 3), &b"?"[..]).unwrap()), "pending item 3 is damaged"),
        (|t| drop(t.open_table(BODIES).unwrap().pop_first().unwrap()), "pending item 5 has lost its data"),
        (
            |t| drop(t.open_table(BODIES).unwrap().insert(5, &b"{"[..]).unwrap()),
            "the data of pending item 5 is damaged",
        ),
        (
            |t| drop(t.open_table(COUNTERS).unwrap().insert("id", (4, 4)).unwrap()),
            "the counter \"id\" of the queues is damaged",
        ),
        (|t| drop(t.open_table(NAMES).unwrap().insert("q", (1, 1)).unwrap()), "the number of queue \"q\" is damaged"),
        (|t| flip(t, QUEUES, 1), "queue number 1 is damaged"),
        (|t| flip(t, CHECKED_OUT, 3), "checkout 3 is damaged"),
        (|t| flip(t, BODIES, 5), "the data of pending item 5 is damaged"),
        (|t| drop(t.open_table(NAMES).unwrap().remove("q").unwrap()), "1 queues have no name"),
    ];
    for (change, reported) in wrong {
        let folder = Folder::new();
        folder.script([], FILLS_A_QUEUE).finish().exits(0);
        finds(&folder, change, reported);
    }
}

#[test]
fn the_check_finds_damage_to_the_store() {
    use redb::TableDefinition;
    const CLEARED: TableDefinition<'_, u64, u32> = TableDefinition::new("store.cleared");
    const COLLECTIONS: TableDefinition<'_, &str, (u64, u64, u32)> = TableDefinition::new("store.collections");
    const COUNTERS: TableDefinition<'_, &str, (u64, u32)> = TableDefinition::new("store.counters");
    type Change = fn(&redb::WriteTransaction);
    let wrong: [(Change, &str); 3] = [
        (
            |t| drop(t.open_table(CLEARED).unwrap().insert(1, 7).unwrap()),
            "the number 1 of a collection of g.store that was cleared is damaged",
        ),
        (
            |t| drop(t.open_table(COLLECTIONS).unwrap().insert("people", (3, 4, 5)).unwrap()),
            "collection \"people\" of g.store is damaged",
        ),
        (
            |t| drop(t.open_table(COUNTERS).unwrap().insert("sequence", (3, 4)).unwrap()),
            "the counter \"sequence\" of g.store is damaged",
        ),
    ];
    for (change, reported) in wrong {
        let folder = with_people();
        finds(&folder, change, reported);
    }
}

#[test]
fn an_undamaged_workspace_passes_the_check_after_a_clear() {
    let folder = with_people();
    folder.script([], "export const main = () => { for (let i = 0; i < 5000; i++) g.store.put('x', `${i}`, i); g.store.clear('x'); };").finish().exits(0);
    workspace(&folder, ["check"]).exits(0).prints("the workspace has no problems\n");
}

#[test]
fn damage_is_reported_with_the_command_that_repairs_it() {
    let folder = with_people();
    let data = folder.path().join(".ghost/data.redb");
    fs::write(&data, with_other_bytes(fs::read(&data).expect("the database"))).expect("the database");
    workspace(&folder, ["check"]).fails_clearly(1).says("damaged").says("ghost workspace restore --force FILE");
    fs::write(&data, b"not a database").expect("the database");
    workspace(&folder, ["check"]).fails_clearly(1).says("damaged").says("ghost workspace restore --force FILE");
}

/// A database in which the document about ada is another, also where older pages still have it.
pub fn with_other_bytes(mut database: Vec<u8>) -> Vec<u8> {
    let places: Vec<_> = (0..database.len() - 4).filter(|place| &database[*place..place + 4] == b"1815").collect();
    assert!(!places.is_empty(), "the document is in it");
    places.into_iter().for_each(|place| database[place] = b'x');
    database
}

#[test]
fn compact_frees_the_space_of_deleted_documents() {
    let folder = with_people();
    folder
        .script(
            [],
            "export const main = () => { for (let i = 0; i < 2000; i++) g.store.put('x', `${i}`, 'x'.repeat(5000)); };",
        )
        .finish()
        .exits(0);
    folder
        .script([], "export const main = () => { for (let i = 0; i < 2000; i++) g.store.delete('x', `${i}`); };")
        .finish()
        .exits(0);
    let size = || fs::metadata(folder.path().join(".ghost/data.redb")).expect("it is there").len();
    let before = size();
    workspace(&folder, ["compact"]).exits(0);
    assert!(size() < before / 10, "{before} bytes before, {} after", size());
    workspace(&folder, ["check"]).exits(0);
    store(&folder, ["get", "people", "ada"]).prints("{\"born\":1815}\n");
}

#[test]
fn compact_frees_the_space_of_what_was_cleared() {
    let folder = with_people();
    let fill = "const text = 'x'.repeat(1_000);
        export function main() {
          for (let i = 0; i < 20_000; i++) g.store.put('cleared', `${i}`, text);
          for (let i = 0; i < 5_000; i++) g.queue.enqueue('cleared', text);
          for (let i = 0; i < 5_000; i++) g.search.index({ _collection: 'cleared', _key: `${i}`, text });
        }";
    folder.script([], fill).finish().exits(0);
    let clear = "export function main() {
          g.store.clear('cleared'); g.queue.clear('cleared'); g.search.deleteByCollection('cleared');
        }";
    folder.script([], clear).finish().exits(0);
    let compacted = value(workspace(&folder, ["compact", "--json"]));
    let bytes = |name: &str| compacted[name].as_u64().expect("a number");
    assert!(bytes("bytesBefore") > 30_000_000, "{compacted}");
    assert!(bytes("bytesAfter") < 1_000_000, "{compacted}");
    workspace(&folder, ["check"]).exits(0);
    store(&folder, ["get", "people", "ada"]).prints("{\"born\":1815}\n");
}
