export async function main() {
  const name = "case-bulk-errors";
  await g.clustersearch.deleteIndex("cluster", name);
  await g.clustersearch.createIndex("cluster", name, { properties: { n: { type: "long" } } });
  const documents = Array.from({ length: 450 }, (_, n) =>
    n % 3 === 0 ? { _id: `bad-${n}`, n: "text" } : { n },
  );
  documents[1] = { n: "text" };
  const result = await g.clustersearch.bulk("cluster", name, documents, 50);
  assert.equal(result.total, 450);
  assert.equal(result.failed, 151);
  assert.equal(result.successful, 299);
  assert.equal(result.errors.length, 100);
  const [first, second, third] = result.errors;
  assert.deepEqual(Object.keys(first), ["position", "id", "status", "reason"]);
  assert.deepEqual([first.position, first.id, first.status], [0, "bad-0", 400]);
  assert.ok(
    /failed to parse field \[n\] of type \[long\].*: For input string/.test(first.reason),
    first.reason,
  );
  assert.deepEqual([second.position, second.id], [1, null]);
  assert.deepEqual([third.position, third.id], [3, "bad-3"]);
}
