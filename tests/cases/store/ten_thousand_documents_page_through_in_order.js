export function main() {
  for (let i = 0; i < 10_000; i++) g.store.put("c", `k${String(i).padStart(5, "0")}`, { i });
  assert.equal(g.store.count("c"), 10_000);
  let seen = 0;
  for (let offset = 0; offset < 10_000; offset += 1_000) {
    for (const { data } of g.store.list("c", { sort: "key", order: "asc", offset, limit: 1_000 }))
      assert.equal(data.i, seen++);
  }
  assert.equal(seen, 10_000);
  assert.deepEqual(
    g.store.list("c", { offset: 9_998 }).map((document) => document.data.i),
    [1, 0],
  );
}
