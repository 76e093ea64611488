export async function main() {
  const bucket = "case-content-type";
  await g.objectstore.createBucket("db", bucket);
  const types = ["", "a\r\nx-amz-acl: public-read", "text/ä", " text/plain", "t".repeat(256)];
  for (const type of types) {
    const call = g.objectstore.putObjectText("db", bucket, "key", "text", type);
    await assert.rejects(call, { code: "INVALID_ARGUMENT", message: /^contentType / });
  }
  assert.equal(await g.objectstore.objectExists("db", bucket, "key"), false);
  await g.objectstore.putObjectText("db", bucket, "key", "{}", "application/json");
  assert.equal(await g.objectstore.getObjectText("db", bucket, "key"), "{}");
}
