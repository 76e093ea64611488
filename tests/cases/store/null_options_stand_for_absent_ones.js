export function main() {
  for (let i = 0; i < 101; i++) g.store.put("c", `k${i}`, i);
  const expected = g.store.list("c");
  assert.deepEqual(g.store.list("c", null), expected);
  assert.deepEqual(g.store.list("c", undefined), expected);
  assert.deepEqual(
    g.store.list("c", { limit: null, offset: null, sort: null, order: null }),
    expected,
  );
  assert.deepEqual(
    g.store.list("c", { limit: undefined, offset: undefined, sort: undefined, order: undefined }),
    expected,
  );
}
