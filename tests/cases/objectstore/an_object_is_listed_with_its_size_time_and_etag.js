export async function main() {
  const bucket = "case-info";
  await g.objectstore.createBucket("db", bucket);
  const before = Date.now();
  await g.objectstore.putObjectText("db", bucket, "key", "hello");
  const [object] = await g.objectstore.listObjects("db", bucket);
  assert.deepEqual(Object.keys(object), ["key", "size", "lastModified", "etag"]);
  assert.equal(object.key, "key");
  assert.equal(object.size, 5);
  // The MD5 of the content, without quotes.
  assert.equal(object.etag, "5d41402abc4b2a76b9719d911017c592");
  assert.equal(new Date(object.lastModified).toISOString(), object.lastModified);
  assert.ok(Math.abs(Date.parse(object.lastModified) - before) < 60_000, object.lastModified);
}
