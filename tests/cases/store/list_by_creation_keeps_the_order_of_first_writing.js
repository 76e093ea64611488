export function main() {
  for (const key of ["b", "c", "a", "d"]) g.store.put("c", key, 1);
  g.store.put("c", "b", 2);
  const keys = (options) => g.store.list("c", options).map((document) => document.key).join("");
  assert.equal(keys({ sort: "createdAt" }), "dacb");
  assert.equal(keys({ sort: "createdAt", order: "asc" }), "bcad");
  g.store.delete("c", "b");
  g.store.put("c", "b", 3);
  assert.equal(keys({ sort: "createdAt", order: "asc" }), "cadb");
}
