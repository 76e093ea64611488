export async function main() {
  const [from, to] = ["case-copy-from", "case-copy-to"];
  await g.objectstore.createBucket("db", from);
  await g.objectstore.createBucket("db", to);
  await g.objectstore.putObjectText("db", from, "a/first", "text", "application/x-case");
  assert.equal(await g.objectstore.copyObject("db", from, "a/first", to, "second"), undefined);
  assert.equal(await g.objectstore.getObjectText("db", to, "second"), "text");
  // What was there is replaced.
  await g.objectstore.putObjectText("db", from, "a/first", "other");
  await g.objectstore.copyObject("db", from, "a/first", to, "second");
  assert.equal(await g.objectstore.getObjectText("db", to, "second"), "other");
  assert.equal(await g.objectstore.getObjectText("db", from, "a/first"), "other");
  await assert.rejects(g.objectstore.copyObject("db", from, "a", from, "a"), {
    code: "INVALID_ARGUMENT",
    message: "source and destination are the same object",
  });
}
