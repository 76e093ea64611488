export async function main() {
  const place = ["docs", "cases", "find_one"];
  await g.documentdb.insertMany(...place, [{ _id: 1, a: "x" }, { _id: 2, a: "y" }]);
  assert.deepEqual(await g.documentdb.findOne(...place, { a: "y" }), { _id: 2, a: "y" });
  assert.ok([1, 2].includes((await g.documentdb.findOne(...place))._id));
  assert.equal(await g.documentdb.findOne(...place, { a: "z" }), null);
}
