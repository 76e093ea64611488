export function main() {
  const own = new Error("mine");
  assert.equal(assert.throws(() => g.store.list("c", { get limit() { throw own; } })), own);
  const proxy = new Proxy({}, { ownKeys() { throw own; } });
  assert.equal(assert.throws(() => g.store.list("c", proxy)), own);
  assert.equal(own.code, undefined);
}
