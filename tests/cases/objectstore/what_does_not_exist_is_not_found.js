export async function main() {
  const bucket = "case-missing";
  await g.objectstore.createBucket("db", bucket);
  await g.objectstore.putObjectText("db", bucket, "key", "text");
  await g.objectstore.getObject("db", bucket, "key", "file");
  const none = "case-no-such-bucket";
  const calls = {
    text: () => g.objectstore.getObjectText("db", bucket, "none"),
    textOfBucket: () => g.objectstore.getObjectText("db", none, "key"),
    file: () => g.objectstore.getObject("db", bucket, "none", "new/folder/file"),
    fileOfBucket: () => g.objectstore.getObject("db", none, "key", "file"),
    list: () => g.objectstore.listObjects("db", none),
    putText: () => g.objectstore.putObjectText("db", none, "key", "text"),
    put: () => g.objectstore.putObject("db", none, "key", "file"),
    noFile: () => g.objectstore.putObject("db", bucket, "key", "no such file"),
    noFolder: () => g.objectstore.putObject("db", bucket, "key", "no/such/file"),
    deleted: () => g.objectstore.deleteObject("db", none, "key"),
    copy: () => g.objectstore.copyObject("db", bucket, "none", bucket, "copy"),
    copyFrom: () => g.objectstore.copyObject("db", none, "key", bucket, "copy"),
    copyTo: () => g.objectstore.copyObject("db", bucket, "key", none, "copy"),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await call().catch((error) => error);
    assert.equal(`${name}: ${error?.code}`, `${name}: NOT_FOUND`);
    assert.equal(error.namespace, "objectstore");
  }
  const error = await calls.text().catch((error) => error);
  assert.equal(error.message, "the object does not exist");
  assert.deepEqual([error.details.code, error.details.status], ["NoSuchKey", 404]);
  const ofBucket = await calls.list().catch((error) => error);
  assert.equal(ofBucket.message, "the bucket does not exist");
  assert.equal(ofBucket.details.code, "NoSuchBucket");
  // A download that fails leaves neither folders nor a changed file.
  await assert.rejects(g.objectstore.putObject("db", bucket, "key", "new"), { code: "NOT_FOUND" });
  await g.objectstore.putObject("db", bucket, "same", "file");
  assert.equal(await g.objectstore.getObjectText("db", bucket, "same"), "text");
}
