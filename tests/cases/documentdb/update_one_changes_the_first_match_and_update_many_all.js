export async function main() {
  const place = ["docs", "cases", "update"];
  await g.documentdb.insertMany(...place, [{ a: 1 }, { a: 1 }, { a: 2 }]);
  const one = await g.documentdb.updateOne(...place, { a: 1 }, { $set: { b: 1 } });
  assert.deepEqual(one, { matchedCount: 1, modifiedCount: 1 });
  const many = await g.documentdb.updateMany(...place, { a: 1 }, { $set: { b: 1 } });
  assert.deepEqual(many, { matchedCount: 2, modifiedCount: 1 });
  const none = await g.documentdb.updateOne(...place, { a: 9 }, { $inc: { b: 1 } });
  assert.deepEqual(none, { matchedCount: 0, modifiedCount: 0 });
  assert.equal(await g.documentdb.countDocuments(...place, { b: 1 }), 2);
}
