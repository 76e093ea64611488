export async function main() {
  const place = ["docs", "cases", "delete"];
  await g.documentdb.insertMany(...place, [{ a: 1 }, { a: 1 }, { a: 1 }, { a: 2 }]);
  assert.deepEqual(await g.documentdb.deleteOne(...place, { a: 1 }), { deletedCount: 1 });
  assert.deepEqual(await g.documentdb.deleteMany(...place, { a: 1 }), { deletedCount: 2 });
  assert.deepEqual(await g.documentdb.deleteMany(...place, { a: 1 }), { deletedCount: 0 });
  assert.equal(await g.documentdb.countDocuments(...place), 1);
}
