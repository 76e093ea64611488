export async function main() {
  await assert.rejects(g.documentdb.find("none", "d", "c"), {
    name: "GError",
    code: "SECRET_NOT_FOUND",
  });
}
