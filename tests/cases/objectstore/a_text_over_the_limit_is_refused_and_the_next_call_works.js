// flags: --max-memory 512M
export async function main() {
  const bucket = "case-limit";
  await g.objectstore.createBucket("db", bucket);
  await g.objectstore.putObjectText("db", bucket, "large", "x".repeat(65 * 1024 * 1024));
  await g.objectstore.putObjectText("db", bucket, "small", "text");
  await assert.rejects(g.objectstore.getObjectText("db", bucket, "large"), {
    name: "GError",
    code: "LIMIT",
    message: /68157440 bytes, the limit is 67108864/,
  });
  assert.equal(await g.objectstore.getObjectText("db", bucket, "small"), "text");
  // A file has no such limit.
  await g.objectstore.getObject("db", bucket, "large", "large");
}
