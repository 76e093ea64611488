export async function main() {
  const bucket = "case-regular";
  await g.objectstore.createBucket("db", bucket);
  await g.objectstore.putObjectText("db", bucket, "key", "text");
  await g.objectstore.getObject("db", bucket, "key", "folder/file");
  const denied = { code: "PATH_DENIED", message: /is not a regular file|can't be/ };
  const paths = ["folder", "folder/", ".", "./", "folder/.", "folder/file/", "folder/file/x"];
  for (const path of paths) {
    await assert.rejects(g.objectstore.putObject("db", bucket, "key", path), denied);
    await assert.rejects(g.objectstore.getObject("db", bucket, "key", path), denied);
  }
  for (const path of ["", "a\0b", "x".repeat(5000)]) {
    const invalid = { name: "RangeError", code: "INVALID_ARGUMENT", message: /^localPath / };
    await assert.rejects(g.objectstore.putObject("db", bucket, "key", path), invalid);
    await assert.rejects(g.objectstore.getObject("db", bucket, "key", path), invalid);
  }
}
