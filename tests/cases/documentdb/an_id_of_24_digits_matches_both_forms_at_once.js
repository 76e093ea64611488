// servers: java
export async function main() {
  const place = ["docs", "cases", "both_ids"];
  const hex = "65f0c0ffee65f0c0ffee65f0";
  await g.documentdb.insertMany(...place, [{ _id: new g.documentdb.ObjectId(hex) }, { _id: hex }]);
  assert.equal(await g.documentdb.countDocuments(...place, { _id: hex }), 2);
  assert.deepEqual(await g.documentdb.deleteMany(...place, { _id: hex }), { deletedCount: 2 });
}
