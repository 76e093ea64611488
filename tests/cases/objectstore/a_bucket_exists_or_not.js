export async function main() {
  assert.equal(await g.objectstore.bucketExists("db", "case-bucket-exists"), false);
  await g.objectstore.createBucket("db", "case-bucket-exists");
  assert.equal(await g.objectstore.bucketExists("db", "case-bucket-exists"), true);
}
