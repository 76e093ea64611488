export async function main() {
  const place = ["docs", "cases", "undefined"];
  await g.documentdb.insertOne(...place, { _id: 1, a: undefined, b: { c: undefined } });
  assert.deepEqual(await g.documentdb.findOne(...place), { _id: 1, b: {} });
  const refused = { name: "TypeError", code: "INVALID_ARGUMENT" };
  const error = await assert.rejects(g.documentdb.deleteMany(...place, { x: undefined }), refused);
  assert.equal(error.message, "filter.x is undefined; use null, or leave it out");
  const update = { $set: { a: undefined } };
  await assert.rejects(g.documentdb.updateMany(...place, {}, update), refused);
  await assert.rejects(g.documentdb.aggregate(...place, [{ $match: { a: undefined } }]), refused);
  assert.equal(await g.documentdb.countDocuments(...place), 1);
}
