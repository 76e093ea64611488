//! Runs several operations in order, on servers of any version: neighbouring operations of one kind are sent as one
//! command.

use mongodb::{
    bson::{Bson, Document, RawArrayBuf, RawDocumentBuf, doc, raw::cstr},
    options::UpdateModifications,
};
use serde_json::{Value, json};

use super::{
    Place, argument,
    client::Session,
    error::{Access, at_index, of_answer, rejects_option, whole},
    max_time,
    text::Memory,
    write::insert,
};
use crate::{Error, gate::Call};

/// The maximum size of the operations in one command, unless it has only one, in bytes: half of the limit of a
/// document, which leaves room for the other members of the command.
const MAX_COMMAND: usize = 8 << 20;
/// The maximum number of operations in a command, which is MongoDB's own limit.
const MAX_OPERATIONS: usize = 100_000;

/// The kind of an operation, as a script names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    InsertOne,
    UpdateOne,
    UpdateMany,
    DeleteOne,
    DeleteMany,
    ReplaceOne,
}

/// An operation of a script.
pub(super) struct Operation<'a> {
    pub(super) kind: Kind,
    pub(super) filter: Option<&'a str>,
    pub(super) document: Option<&'a str>,
    pub(super) update: Option<&'a str>,
    pub(super) replacement: Option<&'a str>,
}

/// The numbers of documents that the operations inserted, matched, modified and deleted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) inserted: u64,
    pub(super) matched: u64,
    pub(super) modified: u64,
    pub(super) deleted: u64,
}

impl Counts {
    fn json(self) -> Value {
        let Self { inserted, matched, modified, deleted } = self;
        json!({ "insertedCount": inserted, "matchedCount": matched, "modifiedCount": modified, "deletedCount": deleted })
    }
}

/// Neighbouring operations that are sent together.
enum Group {
    Insert(Vec<RawDocumentBuf>),
    /// Statements of the command `update`, and their size.
    Update(Vec<Document>, usize),
    /// Statements of the command `delete`, and their size.
    Delete(Vec<Document>, usize),
}

impl Group {
    fn len(&self) -> usize {
        match self {
            Self::Insert(documents) => documents.len(),
            Self::Update(statements, _) | Self::Delete(statements, _) => statements.len(),
        }
    }
}

/// Runs the operations up to the first that fails.
pub(super) async fn run(call: &Call<'_>, place: Place<'_>, operations: &[Operation<'_>]) -> Result<Counts, Error> {
    place.check()?;
    let mut memory = call.argument_counter();
    let groups = groups(&mut memory, operations)?;
    let mut counts = Counts::default();
    if groups.is_empty() {
        return Ok(counts);
    }
    let session = Session::begin(call, place.conn).await?;
    let mut before = 0;
    for group in groups {
        let length = group.len();
        let done = send(call, &session, place, group, &mut counts).await;
        match done {
            Ok(None) => before += length,
            Ok(Some((index, error))) => return Err(at_index(error, before + index, counts.json())),
            // From the first operation of the group on, the outcome is unknown.
            Err(error) => return Err(at_index(error, before, counts.json())),
        }
    }
    Ok(counts)
}

/// The index in a group of the operation that failed, and why.
type Failed = Option<(usize, Error)>;

async fn send(
    call: &Call<'_>,
    session: &Session,
    place: Place<'_>,
    group: Group,
    counts: &mut Counts,
) -> Result<Failed, Error> {
    match group {
        Group::Insert(documents) => {
            let (ids, failed) = insert(session, place, documents).await?;
            counts.inserted += ids.len() as u64;
            Ok(failed)
        }
        Group::Update(statements, _) => {
            let answer = update(call, session, place, statements).await?;
            counts.matched += count(&answer, "n");
            counts.modified += count(&answer, "nModified");
            Ok(of_answer(&answer))
        }
        Group::Delete(statements, _) => {
            let answer = delete(call, session, place, statements).await?;
            counts.deleted += count(&answer, "n");
            Ok(of_answer(&answer))
        }
    }
}

/// Sends the command `insert`.
pub(super) async fn insert_batch(
    session: &Session,
    place: Place<'_>,
    documents: Vec<RawDocumentBuf>,
) -> Result<Document, Error> {
    let mut command = command(session, "insert", place)?;
    let mut batch = RawArrayBuf::new();
    documents.into_iter().for_each(|document| batch.push(document));
    command.append(cstr!("documents"), batch);
    let database = session.client().database(place.db);
    session.request(Access::Write, database.run_raw_command(command)).await
}

/// Sends the command `update`.
pub(super) async fn update(
    call: &Call<'_>,
    session: &Session,
    place: Place<'_>,
    statements: Vec<Document>,
) -> Result<Document, Error> {
    let mut command = command(session, "update", place)?;
    command.append(cstr!("updates"), array(statements)?);
    send_with_time_limit(call, session, place, command).await
}

/// Sends the command `delete`.
pub(super) async fn delete(
    call: &Call<'_>,
    session: &Session,
    place: Place<'_>,
    statements: Vec<Document>,
) -> Result<Document, Error> {
    let mut command = command(session, "delete", place)?;
    command.append(cstr!("deletes"), array(statements)?);
    send_with_time_limit(call, session, place, command).await
}

fn command(session: &Session, name: &str, place: Place<'_>) -> Result<RawDocumentBuf, Error> {
    let mut command = doc! { name: place.collection, "ordered": true };
    if let Some(concern) = session.write_concern() {
        command.insert("writeConcern", concern.clone());
    }
    RawDocumentBuf::try_from(&command).map_err(Error::internal)
}

fn array(statements: Vec<Document>) -> Result<RawArrayBuf, Error> {
    let mut array = RawArrayBuf::new();
    for statement in statements {
        array.push(RawDocumentBuf::try_from(&statement).map_err(Error::internal)?);
    }
    Ok(array)
}

/// Sends a command with the run's remaining time as its time limit on the server.
async fn send_with_time_limit(
    call: &Call<'_>,
    session: &Session,
    place: Place<'_>,
    command: RawDocumentBuf,
) -> Result<Document, Error> {
    let database = session.client().database(place.db);
    let mut limited = command.clone();
    let milliseconds = i64::try_from(max_time(call).as_millis()).map_err(Error::internal)?;
    limited.append(cstr!("maxTimeMS"), milliseconds);
    match session.answer(Access::Write, database.run_raw_command(limited)).await? {
        // FerretDB does not know the option.
        Err(error) if rejects_option(&error, "maxTimeMS") => {
            session.request(Access::Write, database.run_raw_command(command)).await
        }
        answer => answer.map_err(|error| session.error(&error, Access::Write)),
    }
}

/// Splits documents into batches, each of which fits into one command.
pub(super) fn batches(documents: Vec<RawDocumentBuf>) -> Vec<Vec<RawDocumentBuf>> {
    let (mut batches, mut batch, mut total) = (Vec::new(), Vec::new(), 0);
    for document in documents {
        let more = document.as_bytes().len();
        if !batch.is_empty() && (batch.len() == MAX_OPERATIONS || total + more > MAX_COMMAND) {
            batches.push(std::mem::take(&mut batch));
            total = 0;
        }
        batch.push(document);
        total += more;
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

pub(super) fn count(answer: &Document, name: &str) -> u64 {
    answer.get(name).and_then(whole).and_then(|count| count.try_into().ok()).unwrap_or_default()
}

/// Reads all operations before the first is sent.
fn groups(memory: &mut dyn Memory, operations: &[Operation<'_>]) -> Result<Vec<Group>, Error> {
    let mut groups = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        let read = read(memory, operation, &format!("operations[{index}]"))?;
        add(&mut groups, read);
    }
    Ok(groups)
}

/// An operation that was read.
enum Read {
    Insert(RawDocumentBuf),
    Update(Document),
    Delete(Document),
}

fn add(groups: &mut Vec<Group>, read: Read) {
    let size = |statement: &Document| RawDocumentBuf::try_from(statement).map_or(0, |raw| raw.as_bytes().len());
    let fits = |statements: &[Document], total: usize, more: usize| {
        statements.len() < MAX_OPERATIONS && total + more <= MAX_COMMAND
    };
    match (read, groups.last_mut()) {
        (Read::Insert(document), Some(Group::Insert(documents))) => documents.push(document),
        (Read::Insert(document), _) => groups.push(Group::Insert(vec![document])),
        (Read::Update(statement), last) => {
            let more = size(&statement);
            match last {
                Some(Group::Update(statements, total)) if fits(statements, *total, more) => {
                    statements.push(statement);
                    *total += more;
                }
                _ => groups.push(Group::Update(vec![statement], more)),
            }
        }
        (Read::Delete(statement), last) => {
            let more = size(&statement);
            match last {
                Some(Group::Delete(statements, total)) if fits(statements, *total, more) => {
                    statements.push(statement);
                    *total += more;
                }
                _ => groups.push(Group::Delete(vec![statement], more)),
            }
        }
    }
}

/// Returns the member `u` of a statement of the command `update`.
pub(super) fn modification(update: UpdateModifications) -> Result<Bson, Error> {
    match update {
        UpdateModifications::Document(update) => Ok(update.into()),
        UpdateModifications::Pipeline(stages) => Ok(stages.into()),
        _ => Err(Error::internal("an update is a document or a pipeline")),
    }
}

fn read(memory: &mut dyn Memory, operation: &Operation<'_>, path: &str) -> Result<Read, Error> {
    let Operation { kind, filter, document, update, replacement } = operation;
    let given = [("filter", filter), ("document", document), ("update", update), ("replacement", replacement)];
    let (name, needed): (_, &[&str]) = match kind {
        Kind::InsertOne => ("insertOne", &["document"]),
        Kind::UpdateOne => ("updateOne", &["filter", "update"]),
        Kind::UpdateMany => ("updateMany", &["filter", "update"]),
        Kind::DeleteOne => ("deleteOne", &["filter"]),
        Kind::DeleteMany => ("deleteMany", &["filter"]),
        Kind::ReplaceOne => ("replaceOne", &["filter", "replacement"]),
    };
    for (member, value) in given {
        match (needed.contains(&member), value.is_some()) {
            (true, false) => {
                return Err(Error::wrong_kind(format!("{path}.{member} is missing, which {name} needs")));
            }
            (false, true) => {
                return Err(Error::wrong_kind(format!("{path}.{member} is not a member of {name}")));
            }
            _ => {}
        }
    }
    let at = |member: &str| format!("{path}.{member}");
    let filter = |memory: &mut dyn Memory| argument::filter_of(memory, &at("filter"), filter.unwrap_or("{}"));
    Ok(match kind {
        Kind::InsertOne => Read::Insert(argument::document(memory, &at("document"), document.unwrap_or("{}"))?),
        Kind::UpdateOne | Kind::UpdateMany => {
            let update = modification(argument::update(memory, &at("update"), update.unwrap_or("{}"))?)?;
            Read::Update(doc! { "q": filter(memory)?, "u": update, "multi": *kind == Kind::UpdateMany })
        }
        Kind::ReplaceOne => {
            let replacement = argument::replacement(memory, &at("replacement"), replacement.unwrap_or("{}"))?;
            let replacement: Document = replacement.try_into().map_err(Error::internal)?;
            Read::Update(doc! { "q": filter(memory)?, "u": replacement, "multi": false })
        }
        Kind::DeleteOne | Kind::DeleteMany => {
            Read::Delete(doc! { "q": filter(memory)?, "limit": i32::from(*kind == Kind::DeleteOne) })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(kind: Kind) -> Operation<'static> {
        let (mut operation, empty) =
            (Operation { kind, filter: Some("{}"), document: None, update: None, replacement: None }, Some("{}"));
        match kind {
            Kind::InsertOne => (operation.filter, operation.document) = (None, empty),
            Kind::UpdateOne | Kind::UpdateMany => operation.update = Some("{4:$set{1:ai1;}}"),
            Kind::ReplaceOne => operation.replacement = empty,
            Kind::DeleteOne | Kind::DeleteMany => {}
        }
        operation
    }

    #[test]
    fn neighbours_of_one_kind_are_one_command() {
        use Kind::{DeleteMany, DeleteOne, InsertOne, ReplaceOne, UpdateMany, UpdateOne};
        let kinds = [InsertOne, InsertOne, UpdateOne, ReplaceOne, UpdateMany, DeleteOne, DeleteMany, InsertOne];
        let groups = groups(&mut (), &kinds.map(operation)).unwrap();
        assert_eq!(groups.iter().map(Group::len).collect::<Vec<_>>(), [2, 3, 2, 1]);
    }

    #[test]
    fn documents_are_sent_in_batches_of_bounded_size() {
        let document = |length: usize| RawDocumentBuf::try_from(&doc! { "a": "x".repeat(length) }).unwrap();
        let lengths = [5 << 20, 5 << 20, 16 << 20, 1, 1];
        let batches = batches(lengths.map(document).into());
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 2]);
        let many = super::batches(vec![document(1); MAX_OPERATIONS + 1]);
        assert_eq!(many.iter().map(Vec::len).collect::<Vec<_>>(), [MAX_OPERATIONS, 1]);
        assert!(super::batches(Vec::new()).is_empty());
    }

    #[test]
    fn an_operation_has_the_members_of_its_kind() {
        let missing = Operation { filter: None, ..operation(Kind::DeleteMany) };
        let refused = read(&mut (), &missing, "operations[3]").map(drop).unwrap_err();
        assert_eq!(refused.message, "operations[3].filter is missing, which deleteMany needs");
        let more = Operation { update: Some("{}"), ..operation(Kind::InsertOne) };
        let refused = read(&mut (), &more, "operations[0]").map(drop).unwrap_err();
        assert_eq!(refused.message, "operations[0].update is not a member of insertOne");
    }
}
