export async function main() {
  const bucket = "case-text";
  await g.objectstore.createBucket("db", bucket);
  const texts = ["", "text", "Größe 日本語 😀", "a\r\nb\0c", "\uFEFFmark", "x".repeat(1_000_000)];
  for (const text of texts) {
    assert.equal(await g.objectstore.putObjectText("db", bucket, "key", text), undefined);
    assert.equal(await g.objectstore.getObjectText("db", bucket, "key"), text);
  }
}
