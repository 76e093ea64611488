//! An external document database that speaks MongoDB's wire protocol. `documentdb.wit` defines the contract.

mod argument;
mod bulk;
mod client;
mod config;
mod cursor;
mod error;
mod filter;
mod host;
mod name;
mod text;
mod write;

use std::{sync::Arc, time::Duration};

use mongodb::{
    Collection, IndexModel,
    bson::{Bson, Document, RawDocumentBuf, doc},
    options::{FindOptions, IndexOptions},
};

use client::{ClientPool, Session};
use error::Access;

use crate::{
    Error,
    gate::{ByteCounter, Call, error::protocol},
};

/// The namespace in [`EXTERNAL`](super::EXTERNAL).
pub(crate) struct Documentdb;

/// The place of a collection: the connection, the database and the name, as a script gives them.
#[derive(Clone, Copy)]
struct Place<'a> {
    conn: &'a str,
    db: &'a str,
    collection: &'a str,
}

impl Place<'_> {
    fn check(&self) -> Result<(), Error> {
        name::collection(self.db, self.collection)
    }

    fn collection(&self, session: &Session) -> Collection<RawDocumentBuf> {
        session.client().database(self.db).collection(self.collection)
    }

    fn names(&self) -> (&str, &str) {
        (self.db, self.collection)
    }
}

/// The options of `find`.
#[derive(Default)]
struct Find<'a> {
    sort: Option<&'a str>,
    limit: u32,
    skip: u32,
    projection: Option<&'a str>,
}

/// Returns the time limit for the server: the time that is left for the run, within the range of `maxTimeMS`.
fn max_time(call: &Call<'_>) -> Duration {
    call.remaining().clamp(Duration::from_millis(1), Duration::from_millis(i32::MAX.unsigned_abs().into()))
}

async fn find(call: &Call<'_>, place: Place<'_>, filter: Option<&str>, find: Find<'_>) -> Result<String, Error> {
    let mut memory = call.argument_counter();
    let options = find_options(call, &mut memory, &find, i64::from(find.limit))?;
    run_find(call, place, filter, options).await
}

async fn find_one(call: &Call<'_>, place: Place<'_>, filter: Option<&str>) -> Result<String, Error> {
    // A negative limit asks for one batch, without a cursor.
    let mut memory = call.argument_counter();
    let options = find_options(call, &mut memory, &Find::default(), -1)?;
    let found = run_find(call, place, filter, options).await?;
    Ok(if found.is_empty() { "n".to_owned() } else { found })
}

fn find_options(call: &Call<'_>, memory: &mut ByteCounter, find: &Find<'_>, limit: i64) -> Result<FindOptions, Error> {
    let mut document =
        |argument: &str, text: Option<&str>| text.map(|text| argument::plain(memory, argument, text)).transpose();
    let options = FindOptions::builder()
        .sort(document("options.sort", find.sort)?)
        .projection(document("options.projection", find.projection)?)
        .skip((find.skip > 0).then(|| find.skip.into()))
        .limit((limit != 0).then_some(limit))
        .max_time(max_time(call));
    Ok(options.build())
}

async fn run_find(
    call: &Call<'_>,
    place: Place<'_>,
    filter: Option<&str>,
    options: FindOptions,
) -> Result<String, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let filter = argument::filter(&mut memory, filter)?;
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    let query = collection.find(filter).with_options(options).batch();
    cursor::read(call, &session, place.names(), Access::Read, query, &mut call.answer_counter()).await
}

async fn count(call: &Call<'_>, place: Place<'_>, filter: Option<&str>) -> Result<u64, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let filter = argument::filter(&mut memory, filter)?;
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    session.request(Access::Read, collection.count_documents(filter).max_time(max_time(call))).await
}

async fn distinct(call: &Call<'_>, place: Place<'_>, field: &str, filter: Option<&str>) -> Result<String, Error> {
    place.check()?;
    name::field(field)?;
    let mut memory = call.argument_counter();
    let filter = argument::filter(&mut memory, filter)?;
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    let limited = collection.distinct(field, filter.clone()).max_time(max_time(call));
    let found = match session.answer(Access::Read, limited).await? {
        // FerretDB does not know the option.
        Err(error) if error::rejects_option(&error, "maxTimeMS") => {
            session.request(Access::Read, collection.distinct(field, filter)).await?
        }
        found => found.map_err(|error| session.error(&error, Access::Read))?,
    };
    cursor::values(found, &mut call.answer_counter())
}

async fn aggregate(call: &Call<'_>, place: Place<'_>, pipeline: &str) -> Result<String, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let pipeline = argument::pipeline(&mut memory, pipeline)?;
    // These stages store the results of the pipeline in a collection.
    let writes = |stage: &Document| stage.keys().any(|name| name == "$out" || name == "$merge");
    let access = if pipeline.iter().any(writes) { Access::Write } else { Access::Read };
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    let query = collection.aggregate(pipeline).max_time(max_time(call)).batch();
    cursor::read(call, &session, place.names(), access, query, &mut call.answer_counter()).await
}

async fn list_databases(call: &Call<'_>, conn: &str) -> Result<Vec<String>, Error> {
    let session = Session::begin(call, conn).await?;
    let mut names = session.request(Access::Read, session.client().list_database_names()).await?;
    call.answer_counter().grow(names.iter().map(String::len).sum())?;
    names.sort_unstable();
    Ok(names)
}

async fn list_collections(call: &Call<'_>, conn: &str, db: &str) -> Result<Vec<String>, Error> {
    name::database(db)?;
    let session = Session::begin(call, conn).await?;
    let command = doc! { "listCollections": 1, "nameOnly": true };
    let database = session.client().database(db);
    let query = database.run_cursor_command(command).batch();
    let (mut names, mut counter) = (Vec::new(), call.answer_counter());
    cursor::each(call, &session, (db, "$cmd.listCollections"), Access::Read, query, |collection| {
        let name = collection.get_str("name").map_err(|_| protocol("a collection without a name"))?;
        counter.grow(name.len() + size_of::<String>())?;
        names.push(name.to_owned());
        Ok(())
    })
    .await?;
    names.sort_unstable();
    Ok(names)
}

async fn create_index(
    call: &Call<'_>,
    place: Place<'_>,
    keys: &str,
    unique: Option<bool>,
    name: Option<&str>,
) -> Result<String, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let keys = argument::plain(&mut memory, "keys", keys)?;
    if keys.is_empty() {
        return Err(Error::invalid("keys is empty; it must have the names of members with 1 or -1"));
    }
    if name.is_some_and(str::is_empty) {
        return Err(Error::invalid("options.name is empty"));
    }
    let options = IndexOptions::builder().unique(unique).name(name.map(ToOwned::to_owned)).build();
    let model = IndexModel::builder().keys(keys).options(options).build();
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    let created = session.request(Access::Write, collection.create_index(model).max_time(max_time(call))).await?;
    Ok(created.index_name)
}

async fn drop_collection(call: &Call<'_>, place: Place<'_>) -> Result<(), Error> {
    place.check()?;
    let session = Session::begin(call, place.conn).await?;
    let collection = place.collection(&session);
    match session.answer(Access::Write, collection.drop()).await? {
        // Some servers report a missing collection without the error code by which the driver recognizes it.
        Err(error) if error::is_missing(&error) => Ok(()),
        dropped => dropped.map_err(|error| session.error(&error, Access::Write)),
    }
}

/// Returns the product and the version of the server, and the user, in a few words.
async fn describe(pool: Arc<ClientPool>) -> Result<String, Error> {
    let session = pool.session().await?;
    let admin = session.client().database("admin");
    let info = session.request(Access::Read, admin.run_command(doc! { "buildInfo": 1 })).await?;
    let version = info.get_str("version").unwrap_or("of an unknown version");
    let product = match ferretdb(&info) {
        Some(ferretdb) => format!("FerretDB {ferretdb} (MongoDB {version})"),
        None => format!("MongoDB {version}"),
    };
    // A server without logins may not know the command.
    let status = session.answer(Access::Read, admin.run_command(doc! { "connectionStatus": 1 })).await?.ok();
    let user = status.as_ref().and_then(user).map(|user| format!(", as the user {user}")).unwrap_or_default();
    Ok(product + &user)
}

/// Returns FerretDB's own version, which FerretDB reports in addition to the MongoDB version that it emulates.
fn ferretdb(info: &Document) -> Option<&str> {
    let nested = info.get_document("ferretdb").and_then(|ferretdb| ferretdb.get_str("version"));
    nested.or_else(|_| info.get_str("ferretdbVersion")).ok().map(|version| version.trim_start_matches('v'))
}

fn user(status: &Document) -> Option<String> {
    let info = status.get_document("authInfo").ok()?;
    let user = info.get_array("authenticatedUsers").ok()?.first()?.as_document()?;
    user.get("user").and_then(Bson::as_str).map(ToOwned::to_owned)
}
