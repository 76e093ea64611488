// ghost run --input @scripts/data/packages.jsonl scripts/index-packages.js
//
// Indexes package records and answers questions about them.
export function main(records) {
  for (const record of records) {
    const fields = Object.entries(record).filter(([, value]) => typeof value !== "object" || Array.isArray(value));
    g.search.index({ ...Object.fromEntries(fields), _collection: "packages", _key: String(record.name) });
  }
  const ask = (query) => g.search.query(query, { collection: "packages", limit: 3 }).map(({ key }) => key);
  return {
    indexed: g.search.count("packages"),
    library: ask("library"),
    phrase: ask('"command line"'),
    prefix: ask("description:pars*"),
    misspelled: ask("databse~"),
  };
}
