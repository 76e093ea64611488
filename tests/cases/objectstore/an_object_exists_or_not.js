export async function main() {
  const bucket = "case-object-exists";
  await g.objectstore.createBucket("db", bucket);
  assert.equal(await g.objectstore.objectExists("db", bucket, "key"), false);
  await g.objectstore.putObjectText("db", bucket, "key", "");
  assert.equal(await g.objectstore.objectExists("db", bucket, "key"), true);
  assert.equal(await g.objectstore.objectExists("db", bucket, "ke"), false);
  assert.equal(await g.objectstore.objectExists("db", "case-no-such-bucket", "key"), false);
}
