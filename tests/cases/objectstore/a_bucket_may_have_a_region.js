export async function main() {
  await g.objectstore.createBucket("db", "case-region", "us-east-1");
  assert.equal(await g.objectstore.bucketExists("db", "case-region"), true);
  for (const region of ["", "us east", "evil.example.com/", "EU", "r".repeat(65)]) {
    await assert.rejects(g.objectstore.createBucket("db", "case-region", region), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      message: /^region may only have/,
    });
  }
}
