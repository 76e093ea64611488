export async function main() {
  const bucket = "case-at-once";
  await g.objectstore.createBucket("db", bucket);
  const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
  await Promise.all(keys.map((key) => g.objectstore.putObjectText("db", bucket, key, key)));
  const texts = await Promise.all(
    keys.map((key) => g.objectstore.getObjectText("db", bucket, key)),
  );
  assert.deepEqual(texts, keys);
  await Promise.all(keys.map((key) => g.objectstore.getObject("db", bucket, key, `in/${key}`)));
  const put = (key) => g.objectstore.putObject("db", bucket, `2 ${key}`, `in/${key}`);
  await Promise.all(keys.map(put));
  const second = keys.map((key) => g.objectstore.getObjectText("db", bucket, `2 ${key}`));
  assert.deepEqual(await Promise.all(second), keys);
}
