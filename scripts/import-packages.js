// ghost run --input @scripts/data/packages.jsonl scripts/import-packages.js
//
// Stores each record under its name in the collection "packages". A second run replaces them, and finds as many before
// as after.

const COLLECTION = "packages";

export function main(records) {
  if (!Array.isArray(records)) throw new TypeError("give it the records: --input @scripts/data/packages.jsonl");
  const before = g.store.count(COLLECTION);
  for (const record of records) g.store.put(COLLECTION, record.name, record);
  return {
    imported: records.length,
    before,
    now: g.store.count(COLLECTION),
    biggestSections: biggestSections(records, 5),
    newest: g.store.list(COLLECTION, { limit: 3 }).map(summary),
  };
}

function biggestSections(records, howMany) {
  const counts = {};
  for (const { section } of records) counts[section] = (counts[section] ?? 0) + 1;
  const descending = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(descending.slice(0, howMany));
}

function summary({ key, data, createdAt, updatedAt }) {
  return { key, version: data.version, createdAt, updatedAt };
}
