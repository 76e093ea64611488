// servers: java
export async function main() {
  const place = ["docs", "cases", "types"];
  const { Decimal128, MinKey, MaxKey, Code, Binary } = g.documentdb;
  const document = {
    _id: 1,
    decimal: new Decimal128("1.50"),
    min: new MinKey(),
    max: new MaxKey(),
    code: new Code("x + 1"),
    bytes: new Uint8Array([1, 2]),
    big: 12n,
    far: 9223372036854775807n,
  };
  await g.documentdb.insertOne(...place, document);
  const found = await g.documentdb.findOne(...place, { _id: 1 });
  assert.deepEqual(found, {
    ...document,
    bytes: new Binary("AQI="),
    big: 12,
    far: new g.documentdb.Long("9223372036854775807"),
  });
}
