export async function main() {
  const bucket = "case-delete";
  await g.objectstore.createBucket("db", bucket);
  await g.objectstore.putObjectText("db", bucket, "key", "text");
  assert.equal(await g.objectstore.deleteObject("db", bucket, "key"), undefined);
  assert.equal(await g.objectstore.objectExists("db", bucket, "key"), false);
  assert.equal(await g.objectstore.deleteObject("db", bucket, "key"), undefined);
  assert.equal(await g.objectstore.deleteObject("db", bucket, "never/was/there"), undefined);
}
