export async function main() {
  const place = ["docs", "cases", "aggregate"];
  const orders = [["a", 1], ["b", 2], ["a", 3]].map(([customer, total]) => ({ customer, total }));
  await g.documentdb.insertMany(...place, orders);
  const sums = await g.documentdb.aggregate(...place, [
    { $match: { total: { $gt: 0 } } },
    { $group: { _id: "$customer", total: { $sum: "$total" } } },
    { $sort: { _id: 1 } },
  ]);
  assert.deepEqual(sums, [{ _id: "a", total: 4 }, { _id: "b", total: 2 }]);
  assert.equal((await g.documentdb.aggregate(...place, [])).length, 3);
}
