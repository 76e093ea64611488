export async function main() {
  await assert.rejects(g.objectstore.listBuckets("none"), {
    name: "GError",
    code: "SECRET_NOT_FOUND",
    namespace: "objectstore",
    method: "listBuckets",
  });
}
