export async function main() {
  const bucket = "case-list";
  await g.objectstore.createBucket("db", bucket);
  assert.deepEqual(await g.objectstore.listObjects("db", bucket), []);
  const keys = ["b/2", "a", "b/10", "ä", "B", "b/1", "😀", "c/d/e"];
  await Promise.all(keys.map((key) => g.objectstore.putObjectText("db", bucket, key, key)));
  const listed = await g.objectstore.listObjects("db", bucket);
  const sorted = ["B", "a", "b/1", "b/10", "b/2", "c/d/e", "ä", "😀"];
  assert.deepEqual(listed.map(({ key }) => key), sorted);
  const of = async (options) =>
    (await g.objectstore.listObjects("db", bucket, options)).map(({ key }) => key);
  assert.deepEqual(await of({ prefix: "b/" }), ["b/1", "b/10", "b/2"]);
  assert.deepEqual(await of({ prefix: "b/1", maxKeys: 1 }), ["b/1"]);
  assert.deepEqual(await of({ prefix: "none" }), []);
  assert.deepEqual(await of({ prefix: "" }), sorted);
  assert.deepEqual(await of({ maxKeys: 0 }), []);
  assert.deepEqual(await of({ maxKeys: 3 }), ["B", "a", "b/1"]);
  assert.deepEqual(await of({ prefix: null, maxKeys: null }), sorted);
}
