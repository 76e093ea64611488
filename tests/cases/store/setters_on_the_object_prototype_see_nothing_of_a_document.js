export function main() {
  let seen = 0;
  for (const name of ["key", "data", "createdAt", "updatedAt", "inner", "code", "0"]) {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      set() {
        seen++;
      },
      get() {
        return "forged";
      },
    });
  }
  g.store.put("c", "k", JSON.parse('{"inner": 1}'));
  const document = g.store.get("c", "k");
  const listed = g.store.list("c");
  for (const name of ["key", "data", "createdAt", "updatedAt", "inner", "code", "0"])
    delete Object.prototype[name];
  assert.equal(document.key, "k");
  assert.deepEqual(document.data, { inner: 1 });
  assert.equal(listed.length, 1);
  assert.deepEqual(listed[0], document);
  assert.equal(seen, 0);
}
