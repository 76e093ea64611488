export async function main() {
  const keys = ["", "k".repeat(1025), "..", ".", "../b", "a/../b", "a/./b", "a/..", "a\0b"];
  for (const key of keys) {
    for (const call of [
      () => g.objectstore.getObjectText("db", "bucket", key),
      () => g.objectstore.getObject("db", "bucket", key, "file"),
      () => g.objectstore.putObjectText("db", "bucket", key, "text"),
      () => g.objectstore.putObject("db", "bucket", key, "file"),
      () => g.objectstore.deleteObject("db", "bucket", key),
      () => g.objectstore.objectExists("db", "bucket", key),
      () => g.objectstore.getPresignedUrl("db", "bucket", key),
      () => g.objectstore.copyObject("db", "bucket", key, "bucket", "key"),
      () => g.objectstore.copyObject("db", "bucket", "key", "bucket", key),
    ]) {
      await assert.rejects(call(), {
        name: "RangeError",
        code: "INVALID_ARGUMENT",
        message: /^(key|srcKey|dstKey) /,
      });
    }
  }
  const long = g.objectstore.getObjectText("db", "bucket", "ä".repeat(600));
  await assert.rejects(long, { message: "key is 1200 bytes, 1 to 1024 are allowed" });
  const prefix = g.objectstore.listObjects("db", "bucket", { prefix: "p".repeat(1025) });
  await assert.rejects(prefix, { message: "prefix is 1025 bytes, the limit is 1024" });
}
