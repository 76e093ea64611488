// runs: 2
export function main() {
  const written = ["b", "a", "c"];
  if (g.store.count("c") === 0) {
    for (const key of written) g.store.put("c", key, 1);
    const documents = g.store.list("c", { order: "asc" });
    g.store.put("seen", "documents", documents);
    return;
  }
  assert.deepEqual(g.store.list("c", { order: "asc" }), g.store.get("seen", "documents").data);
  g.store.put("c", "b", 2);
  assert.deepEqual(
    g.store.list("c").map((document) => document.key),
    ["b", "c", "a"],
  );
  assert.deepEqual(
    g.store.list("c", { sort: "createdAt" }).map((document) => document.key),
    ["c", "a", "b"],
  );
}
