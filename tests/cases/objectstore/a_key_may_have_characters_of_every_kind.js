export async function main() {
  const bucket = "case-keys";
  await g.objectstore.createBucket("db", bucket);
  const keys = [
    "a b",
    "a+b",
    "a%2Fb",
    "a%20b",
    "a&b=c?d#e",
    "ä/日本/😀",
    "it's \"quoted\" <&>",
    "a..b",
    "~!@$()*,:;[]{}|^`",
    "folder/of/ten/folders/in/one/another/and/so/on",
    // A segment is a file name on the second server, which has 255 bytes.
    `${"k".repeat(250)}/${"k".repeat(250)}/${"k".repeat(250)}/${"k".repeat(250)}`,
  ];
  for (const key of keys) await g.objectstore.putObjectText("db", bucket, key, `of ${key}`);
  const listed = await g.objectstore.listObjects("db", bucket);
  assert.deepEqual(listed.map(({ key }) => key).sort(), [...keys].sort());
  for (const key of keys) {
    assert.equal(await g.objectstore.getObjectText("db", bucket, key), `of ${key}`);
    await g.objectstore.copyObject("db", bucket, key, bucket, "copy");
    assert.equal(await g.objectstore.getObjectText("db", bucket, "copy"), `of ${key}`);
    assert.equal(await g.objectstore.objectExists("db", bucket, key), true);
    await g.objectstore.deleteObject("db", bucket, key);
    assert.equal(await g.objectstore.objectExists("db", bucket, key), false, key);
  }
}
