export async function main() {
  const bucket = "case-workspace";
  await g.objectstore.createBucket("db", bucket);
  await g.objectstore.putObjectText("db", bucket, "key", "text");
  g.store.put("kept", "key", 1);
  for (const path of [
    ".ghost/data.redb",
    "./.ghost/data.redb",
    ".GHOST/data.redb",
    ".ghost/new",
    ".ghost",
  ]) {
    const denied = { code: "PATH_DENIED", message: /leads into a workspace/ };
    await assert.rejects(g.objectstore.putObject("db", bucket, "key", path), denied);
    await assert.rejects(g.objectstore.getObject("db", bucket, "key", path), denied);
  }
  assert.equal(g.store.get("kept", "key").data, 1);
}
