// ghost run --input @scripts/data/packages.jsonl scripts/changes.js name
//
// Tells what has changed in a list of records since the last run: the argument names the field that identifies one.
// The workspace keeps what was seen.

const COLLECTION = "seen";

export function main(records, id) {
  if (!Array.isArray(records) || !id) throw new TypeError("give it --input @FILE and the name of the identifying field");
  const left = new Set(g.store.all(COLLECTION).map((document) => document.key));
  const changes = { added: [], changed: [], removed: [], same: 0 };
  for (const record of records) {
    const key = String(record[id]);
    const seen = g.store.get(COLLECTION, key);
    left.delete(key);
    if (seen && JSON.stringify(seen.data) === JSON.stringify(record)) {
      changes.same += 1;
      continue;
    }
    (seen ? changes.changed : changes.added).push(key);
    g.store.put(COLLECTION, key, record);
  }
  for (const key of left) {
    g.store.delete(COLLECTION, key);
    changes.removed.push(key);
  }
  return changes;
}
