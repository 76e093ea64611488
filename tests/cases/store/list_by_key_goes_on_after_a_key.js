export function main() {
  for (const key of ["a", "b", "c", "d"]) g.store.put("c", key, 1);
  const keys = (options) =>
    g.store.list("c", { sort: "key", ...options }).map((document) => document.key);
  assert.deepEqual(keys({ order: "asc", after: "b" }), ["c", "d"]);
  assert.deepEqual(keys({ order: "desc", after: "c" }), ["b", "a"]);
  assert.deepEqual(keys({ after: "c" }), ["b", "a"]);
  assert.deepEqual(keys({ order: "asc", after: "bb", limit: 1 }), ["c"]);
  assert.deepEqual(keys({ order: "asc", after: "a", offset: 1, limit: 1 }), ["c"]);
  assert.deepEqual(keys({ order: "asc", after: "d" }), []);
  assert.deepEqual(keys({ order: "asc", after: "a", prefix: "b" }), ["b"]);
  assert.deepEqual(keys({ order: "asc", after: "z", prefix: "b" }), []);
}
