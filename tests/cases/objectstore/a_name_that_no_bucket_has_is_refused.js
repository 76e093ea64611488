export async function main() {
  const names = [
    "",
    "ab",
    "b".repeat(64),
    "Upper",
    "a/b",
    "../a",
    "a..b",
    "a%2Fb",
    "a b",
    "a\0b",
    "a\nb",
    "ä-ä",
    "-ab",
    "ab.",
    "bucket--x-s3",
    "arn:aws:s3:::bucket",
  ];
  for (const name of names) {
    for (const call of [
      () => g.objectstore.bucketExists("db", name),
      () => g.objectstore.createBucket("db", name),
      () => g.objectstore.listObjects("db", name),
      () => g.objectstore.getObjectText("db", name, "key"),
      () => g.objectstore.getObject("db", name, "key", "file"),
      () => g.objectstore.putObjectText("db", name, "key", "text"),
      () => g.objectstore.putObject("db", name, "key", "file"),
      () => g.objectstore.deleteObject("db", name, "key"),
      () => g.objectstore.objectExists("db", name, "key"),
      () => g.objectstore.getPresignedUrl("db", name, "key"),
      () => g.objectstore.copyObject("db", name, "key", "bucket", "key"),
      () => g.objectstore.copyObject("db", "bucket", "key", name, "key"),
    ]) {
      await assert.rejects(call(), {
        name: "RangeError",
        code: "INVALID_ARGUMENT",
        message: /^(bucket|srcBucket|dstBucket) /,
      });
    }
  }
}
