// Most of these share a millisecond: the order of writing decides.
export function main() {
  for (const key of ["b", "c", "a", "d"]) g.store.put("c", key, 1);
  g.store.put("c", "c", 2);
  const keys = (options) => g.store.list("c", options).map((document) => document.key).join("");
  assert.equal(keys(), "cdab");
  assert.equal(keys({}), "cdab");
  assert.equal(keys({ sort: "updatedAt" }), "cdab");
  assert.equal(keys({ order: "desc" }), "cdab");
  assert.equal(keys({ order: "asc" }), "badc");
}
