export async function main() {
  const bucket = "case-files";
  await g.objectstore.createBucket("db", bucket);
  const text = "Größe\n".repeat(1000);
  await g.objectstore.putObjectText("db", bucket, "first", text);
  assert.equal(await g.objectstore.getObject("db", bucket, "first", "in/a/folder.txt"), undefined);
  assert.equal(await g.objectstore.putObject("db", bucket, "second", "in/a/folder.txt"), undefined);
  assert.equal(await g.objectstore.getObjectText("db", bucket, "second"), text);
  // What was there is replaced, also by something shorter and by nothing.
  for (const next of ["short", ""]) {
    await g.objectstore.putObjectText("db", bucket, "first", next);
    await g.objectstore.getObject("db", bucket, "first", "in/a/folder.txt");
    await g.objectstore.putObject("db", bucket, "second", "./in/b/../a/folder.txt").then(
      () => assert.ok(false, "there is no in/b"),
      (error) => assert.equal(error.code, "NOT_FOUND"),
    );
    await g.objectstore.putObject("db", bucket, "second", "./in/a/../a/folder.txt");
    assert.equal(await g.objectstore.getObjectText("db", bucket, "second"), next);
  }
}
