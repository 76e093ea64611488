export async function main() {
  const place = ["docs", "cases", "numbers"];
  await g.documentdb.insertOne(...place, {
    _id: 1,
    int: 2147483647,
    long: 2147483648,
    safe: 9007199254740991,
    double: 0.5,
    big: 1e300,
    zero: -0,
    bigint: 5n,
  });
  const types = { int: "int", long: "long", safe: "long", double: "double", big: "double",
    zero: "double", bigint: "long" };
  for (const [name, type] of Object.entries(types)) {
    const count = await g.documentdb.countDocuments(...place, { [name]: { $type: type } });
    assert.equal(count, 1, `${name} is no ${type}`);
  }
  const found = await g.documentdb.findOne(...place);
  assert.equal(found.safe, 9007199254740991);
}
