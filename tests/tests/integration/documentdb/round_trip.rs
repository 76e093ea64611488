//! Random documents that a script reads and writes back: every type and the order of members stay, on real servers.

use std::time::Duration;

use fastrand::Rng;
use ghost_tests::servers::documentdb;
use mongodb::{
    Client,
    bson::{
        Binary, Bson, DateTime, Decimal128, Document, RawDocumentBuf, Regex, Timestamp, doc, oid::ObjectId,
        raw::CString, spec::BinarySubtype,
    },
};

use super::Caller;

const DOCUMENTS: usize = 20_000;

/// Copies all documents from `given` to `back`.
const COPY: &str = "export const main = async () => {
  const [db, page] = ['round_trip', { sort: { _id: 1 }, limit: 1000 }];
  let last = -1;
  for (;;) {
    const found = await g.documentdb.find('docs', db, 'given', { _id: { $gt: last } }, page);
    if (found.length === 0) return true;
    await g.documentdb.insertMany('docs', db, 'back', found);
    last = found[found.length - 1]._id;
  }
};";

/// The types that a server can store. Those of neither are tested beside the code (`host/src/g/documentdb/text/tests.rs`).
#[derive(Clone, Copy, PartialEq)]
enum Types {
    /// Those of mongo-java-server: all but a code with its scope, and subtypes of binary data.
    All,
    /// Those of FerretDB.
    Few,
}

fn text(rng: &mut Rng) -> String {
    let characters = ['a', 'b', '"', '\\', '\n', ':', '}', 'é', '€', '😀'];
    (0..rng.usize(..10)).filter_map(|_| rng.choice(characters)).collect()
}

/// Also names that JavaScript would reorder, and those of Extended JSON.
fn name(rng: &mut Rng, types: Types) -> String {
    match rng.u8(..12) {
        0..3 => rng.u32(..30).to_string(),
        3 if types == Types::All => "$oid".to_owned(),
        // FerretDB's database does not take a name with quotes or line breaks.
        _ if types == Types::Few => format!("{}{}é", rng.alphabetic(), rng.u8(..)),
        _ => format!("{}{}", rng.alphabetic(), text(rng)),
    }
}

fn c_string(text: &str) -> CString {
    CString::try_from(text).expect("no NUL")
}

fn value(rng: &mut Rng, types: Types, depth: usize) -> Bson {
    let last = if types == Types::All { 17 } else { 12 };
    match rng.u8(..if depth > 3 { last } else { last + 2 }) {
        0 => Bson::Null,
        1 => Bson::Boolean(rng.bool()),
        2 => Bson::Int32(rng.i32(..)),
        3 => Bson::Int64(rng.i64(..)),
        // Small ones become an int32, unless the script remembers.
        4 => Bson::Int64(rng.i64(-5..5)),
        // One without a fraction becomes an integer, as it is documented.
        5 => Bson::Double(rng.f64() * 10f64.powi(rng.i32(-20..5)) + f64::MIN_POSITIVE),
        6 => Bson::String(text(rng)),
        7 => Bson::ObjectId(ObjectId::from_bytes(std::array::from_fn(|_| rng.u8(..)))),
        8 => Bson::DateTime(DateTime::from_millis(rng.i64(-8_640_000_000_000..8_640_000_000_000))),
        9 => Bson::Timestamp(Timestamp { time: rng.u32(1..1 << 31), increment: rng.u32(1..1 << 31) }),
        10 => {
            // mongo-java-server closes the connection for others.
            let subtypes: &[u8] = if types == Types::All { &[0] } else { &[0, 5, 128] };
            let subtype = BinarySubtype::from(*rng.choice(subtypes).expect("there are some"));
            Bson::Binary(Binary { subtype, bytes: (0..rng.usize(..20)).map(|_| rng.u8(..)).collect() })
        }
        11 => {
            let pattern = rng.choice(["a", "a/b", "", "^a+$", "("]).expect("there are some");
            Bson::RegularExpression(Regex {
                pattern: c_string(pattern),
                options: c_string(rng.choice(["", "i", "imx"]).expect("some")),
            })
        }
        12 if types == Types::All => {
            Bson::Binary(Binary { subtype: BinarySubtype::Uuid, bytes: (0..16).map(|_| rng.u8(..)).collect() })
        }
        13 if types == Types::All => {
            Bson::Decimal128(format!("{}E{}", rng.i64(..), rng.i32(-60..60)).parse::<Decimal128>().expect("a number"))
        }
        14 if types == Types::All => Bson::JavaScriptCode(text(rng)),
        15 if types == Types::All => Bson::MinKey,
        16 if types == Types::All => Bson::MaxKey,
        even if even % 2 == 0 => {
            let items = (0..rng.usize(..4)).map(|_| value(rng, types, depth + 1));
            // FerretDB has no arrays in arrays.
            Bson::Array(items.filter(|item| types == Types::All || item.as_array().is_none()).collect())
        }
        _ => Bson::Document(members(rng, types, depth + 1)),
    }
}

fn members(rng: &mut Rng, types: Types, depth: usize) -> Document {
    (0..rng.usize(..6)).map(|_| (name(rng, types), value(rng, types, depth))).collect()
}

fn document(rng: &mut Rng, types: Types, id: usize) -> Document {
    let mut document = doc! { "_id": i32::try_from(id).expect("few") };
    document.extend(members(rng, types, 0).into_iter().filter(|(name, _)| !name.starts_with('$')));
    document
}

async fn all(client: &Client, collection: &str) -> Vec<RawDocumentBuf> {
    let collection = client.database("round_trip").collection::<RawDocumentBuf>(collection);
    let mut cursor = collection.find(doc! {}).sort(doc! { "_id": 1 }).await.expect("a cursor");
    let mut found = Vec::new();
    while cursor.advance().await.expect("a document") {
        found.push(cursor.current().to_owned());
    }
    found
}

async fn come_back_as_they_were(connection: &str, types: Types) {
    let seed = fastrand::u64(..);
    eprintln!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let client = Client::with_uri_str(connection).await.expect("a client");
    let given = client.database("round_trip").collection::<Document>("given");
    let documents: Vec<_> = (0..DOCUMENTS).map(|id| document(&mut rng, types, id)).collect();
    for some in documents.chunks(500) {
        given.insert_many(some).await.expect("they are stored");
    }
    let caller = Caller::new(connection.to_owned(), COPY).await;
    let outcome = caller.run(&serde_json::Value::Null, Duration::from_secs(300)).await;
    assert_eq!(outcome.result.expect("it ends").as_deref(), Some("true"));
    let (given, back) = (all(&client, "given").await, all(&client, "back").await);
    assert_eq!((given.len(), back.len()), (DOCUMENTS, DOCUMENTS));
    for (given, back) in given.iter().zip(&back) {
        assert_eq!(back.as_bytes(), given.as_bytes(), "{back:?} is not {given:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_documents_of_all_types_come_back_as_they_were() {
    let Some(connection) = documentdb::java_or_skip() else { return };
    come_back_as_they_were(connection, Types::All).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_documents_come_back_as_they_were_over_tls() {
    let Some(server) = documentdb::ferretdb_or_skip() else { return };
    come_back_as_they_were(&server.connection, Types::Few).await;
}
