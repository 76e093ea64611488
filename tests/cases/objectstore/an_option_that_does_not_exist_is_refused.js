export async function main() {
  const list = (options) => g.objectstore.listObjects("db", "bucket", options);
  for (const options of [
    { maxkeys: 1 },
    { delimiter: "/" },
    { maxKeys: -1 },
    { maxKeys: 1.5 },
    { maxKeys: 2 ** 31 },
    { prefix: 1 },
    "prefix",
  ]) {
    await assert.rejects(list(options), { code: "INVALID_ARGUMENT" });
  }
  const url = g.objectstore.getPresignedUrl("db", "bucket", "key", { expires: 1 });
  await assert.rejects(url, { code: "INVALID_ARGUMENT", message: /expires/ });
}
