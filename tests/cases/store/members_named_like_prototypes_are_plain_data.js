export function main() {
  g.store.put(
    "c",
    "k",
    JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "toString": null}'),
  );
  const { data } = g.store.get("c", "k");
  assert.deepEqual(Object.keys(data), ["__proto__", "constructor", "toString"]);
  assert.equal(data.admin, undefined);
  assert.equal(Object.getPrototypeOf(data), Object.prototype);
  assert.equal({}.admin, undefined);
}
