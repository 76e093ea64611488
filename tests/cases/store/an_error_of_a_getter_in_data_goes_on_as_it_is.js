export function main() {
  const own = new Error("mine");
  const throwing = { get value() { throw own; } };
  assert.equal(assert.throws(() => g.store.put("c", "k", throwing)), own);
  assert.equal(assert.throws(() => g.store.put("c", "k", { toJSON() { throw own; } })), own);
  assert.equal(assert.throws(() => g.store.put("c", "k", { get value() { throw null; } })), null);
  assert.equal(own.code, undefined);
  assert.equal(g.store.count("c"), 0);
}
