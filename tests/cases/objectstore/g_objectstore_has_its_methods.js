export async function main() {
  assert.deepEqual(Object.keys(g.objectstore).sort(), [
    "bucketExists",
    "copyObject",
    "createBucket",
    "deleteObject",
    "getObject",
    "getObjectText",
    "getPresignedUrl",
    "listBuckets",
    "listObjects",
    "objectExists",
    "putObject",
    "putObjectText",
  ]);
  assert.ok(Object.isFrozen(g.objectstore) && Object.isFrozen(g.objectstore.getObject));
}
