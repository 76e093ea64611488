export async function main() {
  const bucket = "case-pages";
  await g.objectstore.createBucket("db", bucket);
  const keys = Array.from({ length: 2100 }, (_, i) => `key ${String(i).padStart(4, "0")}`);
  await Promise.all(keys.map((key) => g.objectstore.putObjectText("db", bucket, key, "")));
  const of = async (options) =>
    (await g.objectstore.listObjects("db", bucket, options)).map(({ key }) => key);
  assert.deepEqual(await of(), keys.slice(0, 1000));
  assert.deepEqual(await of({ maxKeys: 999 }), keys.slice(0, 999));
  assert.deepEqual(await of({ maxKeys: 1001 }), keys.slice(0, 1001));
  assert.deepEqual(await of({ maxKeys: 2000 }), keys.slice(0, 2000));
  assert.deepEqual(await of({ maxKeys: 2 ** 31 - 1 }), keys);
  assert.deepEqual(await of({ maxKeys: 5000, prefix: "key 1" }), keys.slice(1000, 2000));
}
