export async function main() {
  const before = Date.now();
  assert.equal(await g.objectstore.createBucket("db", "case-created"), undefined);
  const buckets = await g.objectstore.listBuckets("db");
  const bucket = buckets.find((bucket) => bucket.name === "case-created");
  assert.deepEqual(Object.keys(bucket), ["name", "creationDate"]);
  assert.equal(new Date(bucket.creationDate).toISOString(), bucket.creationDate);
  assert.ok(Math.abs(Date.parse(bucket.creationDate) - before) < 60_000, bucket.creationDate);
}
