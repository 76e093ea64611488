export function main() {
  const nested = (levels) => {
    let data = "needle";
    for (let i = 0; i < levels; i++) data = i % 2 ? { a: data } : [data];
    return data;
  };
  g.store.put("c", "array", nested(1_000));
  g.store.put("c", "object", { a: nested(999) });
  assert.equal(JSON.stringify(g.store.get("c", "array").data), JSON.stringify(nested(1_000)));
  assert.equal(g.store.list("c").length, 2);
  assert.deepEqual(
    g.store.search("c", "needle", { sort: "key", order: "asc" }).map((found) => found.key),
    ["array", "object"],
  );
}
