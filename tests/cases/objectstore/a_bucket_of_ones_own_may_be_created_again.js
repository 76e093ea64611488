export async function main() {
  await g.objectstore.createBucket("db", "case-again");
  await g.objectstore.putObjectText("db", "case-again", "kept", "yes");
  await g.objectstore.createBucket("db", "case-again");
  assert.equal(await g.objectstore.getObjectText("db", "case-again", "kept"), "yes");
}
