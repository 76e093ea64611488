// FerretDB on SQLite does not store both forms of an id in one collection.
export async function main() {
  const hex = "65f0c0ffee65f0c0ffee65f0";
  const id = new g.documentdb.ObjectId(hex);
  const count = async (name, filter) => g.documentdb.countDocuments("docs", "cases", name, filter);
  for (const [name, _id] of [["ids", id], ["text_ids", hex]]) {
    await g.documentdb.insertMany("docs", "cases", name, [{ _id }, { _id: 1, ref: hex }]);
    assert.equal(await count(name, { _id: hex }), 1);
    assert.equal(await count(name, { _id: { $eq: hex } }), 1);
    assert.equal(await count(name, { _id: { $in: [hex, 1] } }), 2);
    assert.equal(await count(name, { $or: [{ _id: hex }, { _id: 1 }] }), 2);
    assert.equal(await count(name, { ref: hex }), 1);
    const found = await g.documentdb.findOne("docs", "cases", name, { _id: hex });
    assert.deepEqual(found, { _id });
  }
  assert.equal(await count("ids", { _id: id }), 1);
  assert.equal(await count("ids", { _id: { $oid: hex } }), 1);
  const deleted = await g.documentdb.deleteMany("docs", "cases", "ids", { _id: hex });
  assert.deepEqual(deleted, { deletedCount: 1 });
}
