export function main() {
  assert.ok(Object.isFrozen(g));
  assert.deepEqual(Object.keys(g).includes("store"), true);
  for (const namespace of Object.values(g)) {
    assert.ok(Object.isFrozen(namespace));
    for (const member of Object.values(namespace)) assert.ok(Object.isFrozen(member));
  }
  const { put } = g.store;
  assert.throws(() => { g.store = {}; }, { name: "TypeError" });
  assert.throws(() => { g.other = 1; }, { name: "TypeError" });
  assert.throws(() => { g.store.put = () => {}; }, { name: "TypeError" });
  assert.throws(() => { delete g.store.put; }, { name: "TypeError" });
  assert.throws(() => { g.store.put.extra = 1; }, { name: "TypeError" });
  assert.throws(() => Object.defineProperty(g.store, "put", { value: 1 }), { name: "TypeError" });
  assert.throws(() => Object.setPrototypeOf(g.store, {}), { name: "TypeError" });
  assert.equal(g.store.put, put);
}
