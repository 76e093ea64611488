export async function main() {
  for (const call of [
    () => g.objectstore.listBuckets(),
    () => g.objectstore.listBuckets(1),
    () => g.objectstore.listBuckets("db", "bucket"),
    () => g.objectstore.bucketExists("db"),
    () => g.objectstore.getObjectText("db", "bucket", 1),
    () => g.objectstore.getObject("db", "bucket", "key"),
    () => g.objectstore.putObjectText("db", "bucket", "key", 1),
    () => g.objectstore.putObjectText("db", "bucket", "key", new Uint8Array(1)),
    () => g.objectstore.putObject("db", "bucket", "key", null),
    () => g.objectstore.copyObject("db", "bucket", "key", "bucket"),
    () => g.objectstore.deleteObject("db", "bucket", ["key"]),
    () => g.objectstore.createBucket("db", "bucket", 1),
    () => g.objectstore.getPresignedUrl("db", "bucket", "key", 3600),
  ]) {
    const promise = call();
    assert.ok(promise instanceof Promise);
    await assert.rejects(promise, {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      namespace: "objectstore",
    });
  }
}
