export function main() {
  for (const key of ["b", "a", "c"])
    g.store.put("c", key, { text: key === "a" ? "x x x" : "x and others" });
  const keys = (options) =>
    g.store
      .search("c", "x", options)
      .map(({ key }) => key)
      .join("");
  assert.equal(keys()[0], "a");
  assert.equal(keys({ order: "asc" })[2], "a");
  assert.equal(keys({ sort: "key" }), "cba");
  assert.equal(keys({ sort: "key", order: "asc", offset: 1, limit: 1 }), "b");
  assert.equal(keys({ sort: "createdAt", order: "asc" }), "bac");
  assert.equal(keys({ sort: "updatedAt" }), "cab");
}
