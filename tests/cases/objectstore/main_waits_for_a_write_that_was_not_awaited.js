// runs: 2
export async function main() {
  const bucket = "case-not-awaited";
  await g.objectstore.createBucket("db", bucket);
  if (await g.objectstore.objectExists("db", bucket, "key")) {
    assert.equal(await g.objectstore.getObjectText("db", bucket, "key"), "text");
    await g.objectstore.putObjectText("db", bucket, "seen", "");
  } else {
    assert.equal(await g.objectstore.objectExists("db", bucket, "seen"), false);
    g.objectstore.putObjectText("db", bucket, "key", "text");
  }
}
