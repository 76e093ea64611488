// servers: ferretdb
export async function main() {
  const place = ["docs", "cases", "not_implemented"];
  await g.documentdb.insertOne(...place, { a: 1 });
  const stages = [
    { $lookup: { from: "b", localField: "a", foreignField: "a", as: "b" } },
    { $facet: { a: [{ $count: "n" }] } },
    { $sortByCount: "$a" },
    { $sample: { size: 1 } },
    { $replaceRoot: { newRoot: "$a" } },
  ];
  for (const stage of stages) {
    const error = await assert.rejects(g.documentdb.aggregate(...place, [stage]), {
      name: "GError",
      code: "BACKEND",
      message: /^the server does not implement this: /,
    });
    assert.equal(error.details.codeName, "NotImplemented");
  }
}
