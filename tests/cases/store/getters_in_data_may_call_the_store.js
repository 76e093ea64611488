export function main() {
  const data = {
    get first() { g.store.put("c", "k", "inner"); return g.store.get("c", "k").data; },
    get second() { g.store.clear("c"); return g.store.count("c"); },
  };
  g.store.put("c", "k", data);
  assert.deepEqual(g.store.get("c", "k").data, { first: "inner", second: 0 });
  assert.equal(g.store.count("c"), 1);
}
