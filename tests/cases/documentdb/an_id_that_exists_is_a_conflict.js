export async function main() {
  const place = ["docs", "cases", "conflict"];
  await g.documentdb.insertOne(...place, { _id: 1 });
  const error = await assert.rejects(g.documentdb.insertOne(...place, { _id: 1 }), {
    name: "GError",
    code: "CONFLICT",
    method: "insertOne",
  });
  assert.equal(error.details.code, 11000);
  assert.equal(error.details.unknownOutcome, undefined);
}
