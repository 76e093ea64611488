export function main() {
  g.store.put("c", "k", { z: 1, a: 2, m: { y: 1, b: 2 } });
  assert.equal(JSON.stringify(g.store.get("c", "k").data), '{"z":1,"a":2,"m":{"y":1,"b":2}}');
}
