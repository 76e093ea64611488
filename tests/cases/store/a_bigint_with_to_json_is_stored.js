export function main() {
  BigInt.prototype.toJSON = function () { return this.toString(); };
  g.store.put("c", "k", { n: 12345678901234567890n });
  assert.deepEqual(g.store.get("c", "k").data, { n: "12345678901234567890" });
}
