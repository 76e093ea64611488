// servers: java
export async function main() {
  const place = ["docs", "cases", "minus_zero"];
  await g.documentdb.insertOne(...place, { zero: -0 });
  const found = await g.documentdb.findOne(...place);
  assert.ok(Object.is(found.zero, -0));
}
