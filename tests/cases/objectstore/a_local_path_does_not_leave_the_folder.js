export async function main() {
  const bucket = "case-paths";
  await g.objectstore.createBucket("db", bucket);
  await g.objectstore.putObjectText("db", bucket, "key", "text");
  await g.objectstore.getObject("db", bucket, "key", "folder/file");
  for (const path of [
    "/etc/passwd",
    "/tmp/file",
    "//etc/passwd",
    "../file",
    "..",
    "folder/../../file",
    "folder/../../../../../../etc/passwd",
    "./..//../etc/passwd",
    "folder/../..",
  ]) {
    const expected = { name: "GError", code: "PATH_DENIED", namespace: "objectstore" };
    await assert.rejects(g.objectstore.putObject("db", bucket, "key", path), expected);
    await assert.rejects(g.objectstore.getObject("db", bucket, "key", path), expected);
  }
}
