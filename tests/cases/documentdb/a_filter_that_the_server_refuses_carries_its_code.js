export async function main() {
  const place = ["docs", "cases", "bad_filter"];
  await g.documentdb.insertOne(...place, { a: 1 });
  const error = await assert.rejects(g.documentdb.find(...place, { a: { $noSuchOperator: 1 } }), {
    name: "GError",
    code: "BACKEND",
  });
  assert.equal(typeof error.details.code, "number");
  assert.ok(error.details.message.length > 0);
}
