// UTF-16 would put the emoji (a surrogate pair) before U+FFFD.
export function main() {
  const ascending = ["A", "Z", "a", "aa", "a\u00a0", "b", "é", "\uFFFD", "\u{1F600}"];
  for (const key of [...ascending].reverse()) g.store.put("c", key, 1);
  const keys = (order) => g.store.list("c", { sort: "key", order }).map((document) => document.key);
  assert.deepEqual(keys("asc"), ascending);
  assert.deepEqual(keys("desc"), ascending.reverse());
  assert.deepEqual(keys(undefined), ascending);
}
