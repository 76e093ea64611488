// ghost run scripts/document-members.js
//
// Surveys a MongoDB database (the secret `docs`): which members its documents have, of which types, and which of them are
// missing in some. The survey of each collection is kept in the store; what has changed since the last run goes to the queue
// "document-changes". The arguments name databases; without any, all but the server's own. Also: next, done ID.

const conn = "docs";
const own = ["admin", "config", "local"];
const sample = 1000;
const commands = { next, done };

export async function main(...words) {
  if (Object.hasOwn(commands, words[0])) return commands[words[0]](...words.slice(1));
  const databases = words.length > 0 ? words : (await g.documentdb.listDatabases(conn)).filter((name) => !own.includes(name));
  const report = { collections: 0, documents: 0, changes: 0 };
  for (const db of databases) {
    for (const collection of await g.documentdb.listCollections(conn, db)) {
      const survey = await look(db, collection);
      report.collections += 1;
      report.documents += survey.documents;
      report.changes += record(`${db}.${collection}`, survey);
    }
  }
  return report;
}

// The newest documents tell what programs write today.
async function look(db, collection) {
  const [documents, total] = await Promise.all([
    g.documentdb.find(conn, db, collection, {}, { sort: { _id: -1 }, limit: sample }),
    g.documentdb.countDocuments(conn, db, collection),
  ]);
  const members = {};
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      const member = (members[name] ??= { types: [], count: 0 });
      member.count += 1;
      const type = typeOf(value);
      if (!member.types.includes(type)) member.types.push(type);
    }
  }
  for (const member of Object.values(members)) {
    member.types.sort();
    member.optional = member.count < documents.length;
  }
  return { documents: total, members };
}

function typeOf(value) {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return value.constructor?.name ?? "Object";
}

// Stores a survey, and returns how many members are not as they were.
function record(key, survey) {
  const known = g.store.get("document-members", key)?.data.members;
  g.store.put("document-members", key, survey);
  if (known === undefined) return 0;
  const names = new Set([...Object.keys(known), ...Object.keys(survey.members)]);
  let changes = 0;
  for (const name of names) {
    const [before, now] = [known[name], survey.members[name]].map((member) => member?.types.join(" or ") ?? "nothing");
    if (before === now) continue;
    g.queue.enqueue("document-changes", { collection: key, member: name, before, now });
    changes += 1;
  }
  return changes;
}

// The change that waits longest; it comes back by itself if it is not done within a day.
function next() {
  return g.queue.dequeue("document-changes", { leaseMs: 24 * 60 * 60 * 1000 });
}

function done(id) {
  g.queue.commit(Number(id));
}
