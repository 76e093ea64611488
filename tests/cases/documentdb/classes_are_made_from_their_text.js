// console: 65f0c0ffee65f0c0ffee65f0
// console: { id: 65f0c0ffee65f0c0ffee65f0, n: [ 1.50, 5:6 ] }
export function main() {
  const { ObjectId, Decimal128, Binary, UUID, Timestamp, Long, Code, MinKey, MaxKey } =
    g.documentdb;
  const hex = "65F0C0FFEE65f0c0ffee65f0";
  const id = new ObjectId(hex);
  console.log(id);
  console.log({ id, n: [new Decimal128("1.50"), new Timestamp("5:6")] });
  assert.equal(String(id), hex.toLowerCase());
  assert.equal(`${id}`, hex.toLowerCase());
  assert.equal(JSON.stringify({ id }), `{"id":"${hex.toLowerCase()}"}`);
  assert.ok(id.equals(new ObjectId(hex)));
  assert.ok(!id.equals(hex));
  assert.equal(id.getTimestamp().toISOString(), "2024-03-12T20:54:23.000Z");
  assert.match(new ObjectId().text, /^[0-9a-f]{24}$/);
  assert.ok(new ObjectId().text !== new ObjectId().text);
  assert.match(new UUID().text, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
  assert.equal(JSON.stringify(new Binary(new Uint8Array([0, 1, 2]))), '"AAEC"');
  assert.deepEqual(new Binary("AAEC").toBytes(), new Uint8Array([0, 1, 2]));
  assert.equal(new Binary("AAEC", 5).subtype, 5);
  assert.equal(new Long("-9223372036854775808").toBigInt(), -(2n ** 63n));
  assert.deepEqual([new Timestamp("5:6").seconds, new Timestamp("5:6").increment], [5, 6]);
  assert.equal(new Code("x", { x: 1 }).scope.x, 1);
  assert.equal(`${new MinKey()} ${new MaxKey()}`, "MinKey MaxKey");
  for (const made of [id, new Decimal128("NaN"), new Binary(""), new MinKey()]) {
    assert.ok(Object.isFrozen(made));
    assert.throws(() => {
      made.text = "x";
    }, { name: "TypeError" });
  }
  assert.ok(Object.isFrozen(ObjectId) && Object.isFrozen(ObjectId.prototype));
}
