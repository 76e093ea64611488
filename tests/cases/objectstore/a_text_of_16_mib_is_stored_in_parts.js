export async function main() {
  const bucket = "case-parts";
  await g.objectstore.createBucket("db", bucket);
  const line = "sixteen bytes ä\n".slice(0, 15) + "\n";
  const text = line.repeat(17 * 65536);
  await g.objectstore.putObjectText("db", bucket, "key", text);
  const [object] = await g.objectstore.listObjects("db", bucket);
  assert.equal(object.size, 17 * 65536 * 17);
  assert.match(object.etag, /-3$/);
  assert.equal(await g.objectstore.getObjectText("db", bucket, "key"), text);
}
