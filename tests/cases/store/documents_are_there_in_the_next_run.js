// runs: 3
export function main() {
  const runs = g.store.count("runs");
  g.store.put("runs", `run${runs}`, { number: runs });
  const documents = g.store.list("runs", { sort: "key", order: "asc" });
  assert.deepEqual(
    documents.map((document) => document.data.number),
    [0, 1, 2].slice(0, runs + 1),
  );
  assert.deepEqual(
    g.store.list("runs").map((document) => document.key),
    documents.map((document) => document.key).reverse(),
  );
}
