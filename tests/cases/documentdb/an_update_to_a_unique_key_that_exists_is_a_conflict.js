// servers: java
export async function main() {
  const place = ["docs", "cases", "unique_update"];
  await g.documentdb.insertMany(...place, [{ email: "a" }, { email: "b" }]);
  await g.documentdb.createIndex(...place, { email: 1 }, { unique: true });
  await assert.rejects(g.documentdb.updateOne(...place, { email: "b" }, { $set: { email: "a" } }), {
    code: "CONFLICT",
    method: "updateOne",
  });
}
