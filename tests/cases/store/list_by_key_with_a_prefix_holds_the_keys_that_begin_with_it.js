export function main() {
  const last = "\u{10ffff}";
  for (const key of ["a", "b", "b/1", "b/2", "c", last, `${last}x`, `${last}${last}`])
    g.store.put("c", key, 1);
  const keys = (options) =>
    g.store.list("c", { sort: "key", order: "asc", ...options }).map((document) => document.key);
  assert.deepEqual(keys({ prefix: "b" }), ["b", "b/1", "b/2"]);
  assert.deepEqual(keys({ prefix: "b", order: "desc" }), ["b/2", "b/1", "b"]);
  assert.deepEqual(keys({ prefix: "b", offset: 1, limit: 1 }), ["b/1"]);
  assert.deepEqual(keys({ prefix: last }), [last, `${last}x`, `${last}${last}`]);
  assert.deepEqual(keys({ prefix: `${last}${last}` }), [`${last}${last}`]);
  assert.deepEqual(keys({ prefix: "" }).length, 8);
  assert.deepEqual(keys({ prefix: "x" }), []);
  assert.deepEqual(keys({ prefix: null, after: null }).length, 8);
}
