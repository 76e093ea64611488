//! A run whose time ends in a call: its outcome is fixed at once, and a cursor that it had open is closed on the server.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use ghost::Failure;
use ghost_tests::servers::{
    documentdb,
    proxy::{Fault, Proxy},
};
use mongodb::{
    Client,
    bson::{Document, doc},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Barrier,
};

use super::Caller;

const TIME: Duration = Duration::from_secs(1);
/// The outcome is fixed within 100 ms; the rest is for a machine that runs other tests at the same time.
const LATEST: Duration = Duration::from_millis(900);

const METHODS: &str = "export const main = async ([method, warm]) => {
  const place = ['docs', 'cut', 'calls'];
  const all = {
    find: () => g.documentdb.find(...place),
    findOne: () => g.documentdb.findOne(...place),
    insertOne: () => g.documentdb.insertOne(...place, {}),
    insertMany: () => g.documentdb.insertMany(...place, [{}, {}]),
    updateOne: () => g.documentdb.updateOne(...place, {}, { $set: { a: 1 } }),
    updateMany: () => g.documentdb.updateMany(...place, {}, { $set: { a: 1 } }),
    deleteOne: () => g.documentdb.deleteOne(...place, { a: 2 }),
    deleteMany: () => g.documentdb.deleteMany(...place, { a: 2 }),
    replaceOne: () => g.documentdb.replaceOne(...place, { a: 2 }, {}),
    countDocuments: () => g.documentdb.countDocuments(...place),
    listDatabases: () => g.documentdb.listDatabases('docs'),
    listCollections: () => g.documentdb.listCollections('docs', 'cut'),
    aggregate: () => g.documentdb.aggregate(...place, []),
    createIndex: () => g.documentdb.createIndex(...place, { a: 1 }),
    dropCollection: () => g.documentdb.dropCollection('docs', 'cut', 'other'),
    distinct: () => g.documentdb.distinct(...place, 'a'),
    bulkWrite: () => g.documentdb.bulkWrite(...place, [{ type: 'deleteOne', filter: { a: 2 } }]),
  };
  if (method === null) return Object.keys(all);
  await all[warm ? 'countDocuments' : method]();
};";

#[tokio::test(flavor = "multi_thread")]
async fn the_outcome_is_fixed_at_the_deadline_in_every_method() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let proxy = Proxy::before(server.port);
    let caller = Caller::new(server.at(proxy.port, ""), METHODS).await;
    let methods = caller.run(&json!([null, false]), TIME).await.result.expect("it ends").expect("names");
    let methods: Vec<String> = serde_json::from_str(&methods).expect("names");
    assert_eq!(methods.len(), 17);
    for method in methods {
        proxy.set(Fault::None);
        // A host of its own: after some stalls the driver's monitor gives the connections up, which is another outcome.
        let caller = Caller::new(server.at(proxy.port, ""), METHODS).await;
        let warm = caller.run(&json!([method, true]), Duration::from_secs(10)).await;
        assert_eq!(warm.result, Ok(None), "before {method}");
        proxy.set(Fault::StallAt(0));
        let start = Instant::now();
        let outcome = caller.run(&json!([method, false]), TIME).await;
        let late = start.elapsed().saturating_sub(TIME);
        assert_eq!(outcome.result, Err(Failure::Time { limit: TIME }), "{method}");
        assert!(late < LATEST, "{method} was cut {late:?} late");
    }
}

/// A proxy that passes everything on but the answer to `getMore`, and keeps what the server sent.
async fn without_more(server: u16) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let sent: Arc<Mutex<Vec<u8>>> = Arc::default();
    let shared = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", server)).await.expect("the server listens");
            let asks_for_more = Arc::new(AtomicBool::new(false));
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            let asked = Arc::clone(&asks_for_more);
            tokio::spawn(async move {
                let mut piece = vec![0; 1 << 16];
                while let Ok(length @ 1..) = from_client.read(&mut piece).await {
                    if piece[..length].windows(7).any(|part| part == b"getMore") {
                        asked.store(true, Ordering::SeqCst);
                    }
                    if to_server.write_all(&piece[..length]).await.is_err() {
                        return;
                    }
                }
            });
            let sent = Arc::clone(&shared);
            tokio::spawn(async move {
                let mut piece = vec![0; 1 << 16];
                while let Ok(length @ 1..) = from_server.read(&mut piece).await {
                    sent.lock().expect("no panic").extend_from_slice(&piece[..length]);
                    if !asks_for_more.load(Ordering::SeqCst) && to_client.write_all(&piece[..length]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (port, sent)
}

/// A proxy that passes on no `find` before as many have arrived as the barrier is for.
async fn together(server: u16, barrier: Arc<Barrier>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", server)).await.expect("the server listens");
            let barrier = Arc::clone(&barrier);
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
            tokio::spawn(async move {
                let mut piece = vec![0; 1 << 16];
                while let Ok(length @ 1..) = from_client.read(&mut piece).await {
                    if piece[..length].windows(6).any(|part| part == b"\x02find\0") {
                        barrier.wait().await;
                    }
                    if to_server.write_all(&piece[..length]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_calls_run_at_once() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let proxy = together(server.port, Arc::new(Barrier::new(50))).await;
    let source = "export const main = async () => {
      const find = () => g.documentdb.find('docs', 'cut', 'nothing');
      return (await Promise.all(Array.from({ length: 50 }, find))).length;
    };";
    let caller = Caller::new(server.at(proxy, ""), source).await;
    assert_eq!(caller.run(&json!(null), Duration::from_secs(20)).await.result, Ok(Some("50".to_owned())));
}

/// The last cursor id in the answers of a server.
fn cursor_id(sent: &[u8]) -> Option<i64> {
    let ids = sent.windows(12).filter_map(|part| part.strip_prefix(b"\x12id\0"));
    ids.filter_map(|bytes| Some(i64::from_le_bytes(bytes.try_into().ok()?))).rfind(|id| *id != 0)
}

const READ_ALL: &str = "export const main = async (method) => {
  const place = ['docs', 'cut', 'many'];
  await (method === 'find' ? g.documentdb.find(...place) : g.documentdb.aggregate(...place, [{ $match: {} }]));
};";

/// mongo-java-server answers in one batch, without a cursor.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_cursor_is_closed_on_the_server() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    let client = Client::with_uri_str(server.plain("")).await.expect("a client");
    let many = client.database("cut").collection::<Document>("many");
    many.insert_many((0..1000).map(|id| doc! { "_id": id })).await.expect("they are stored");
    for method in ["find", "aggregate"] {
        let (proxy, sent) = without_more(server.port).await;
        let caller = Caller::new(server.at(proxy, ""), READ_ALL).await;
        let start = Instant::now();
        let outcome = caller.run(&json!(method), TIME).await;
        assert_eq!(outcome.result, Err(Failure::Time { limit: TIME }), "{method}");
        assert!(start.elapsed() < TIME + Duration::from_millis(1_100), "{method}: {:?}", start.elapsed());
        let id = cursor_id(&sent.lock().expect("no panic")).expect("a cursor was open");
        let more = client.database("cut").run_command(doc! { "getMore": id, "collection": "many" }).await;
        let error = more.expect_err("the cursor is closed");
        assert!(error.to_string().contains("43"), "{method}: {error}");
    }
}
