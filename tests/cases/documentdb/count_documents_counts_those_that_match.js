export async function main() {
  const place = ["docs", "cases", "count"];
  assert.equal(await g.documentdb.countDocuments(...place), 0);
  await g.documentdb.insertMany(...place, [{ a: 1 }, { a: 2 }, { a: 2 }]);
  assert.equal(await g.documentdb.countDocuments(...place), 3);
  assert.equal(await g.documentdb.countDocuments(...place, { a: 2 }), 2);
}
