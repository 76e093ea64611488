// servers: java
export async function main() {
  const place = ["docs", "cases", "lookup"];
  await g.documentdb.insertMany(...place, [{ _id: 1, customer: "a" }, { _id: 2, customer: "b" }]);
  await g.documentdb.insertOne("docs", "cases", "lookup_customers", { _id: "a", name: "Ada" });
  const joined = await g.documentdb.aggregate(...place, [
    {
      $lookup: {
        from: "lookup_customers",
        localField: "customer",
        foreignField: "_id",
        as: "customers",
      },
    },
    { $sort: { _id: 1 } },
  ]);
  assert.deepEqual(joined.map((order) => order.customers), [[{ _id: "a", name: "Ada" }], []]);
}
