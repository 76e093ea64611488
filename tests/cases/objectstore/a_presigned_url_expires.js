export async function main() {
  const of = async (options) =>
    new URL(await g.objectstore.getPresignedUrl("db", "bucket", "a b/ä", options));
  const url = await of();
  assert.equal(url.pathname, "/bucket/a%20b/%C3%A4");
  assert.equal(url.searchParams.get("X-Amz-Expires"), "3600");
  assert.ok(url.searchParams.has("X-Amz-Signature"));
  assert.equal((await of({ expiry: 1 })).searchParams.get("X-Amz-Expires"), "1");
  const week = await of({ expiry: 604800, method: "PUT" });
  assert.equal(week.searchParams.get("X-Amz-Expires"), "604800");
  for (const expiry of [0, -1, 604801, 1.5, NaN, "60", 1n]) {
    await assert.rejects(of({ expiry }), { code: "INVALID_ARGUMENT", message: /expiry/ });
  }
  for (const method of ["get", "POST", "DELETE", 1]) {
    await assert.rejects(of({ method }), { code: "INVALID_ARGUMENT", message: /method/ });
  }
}
