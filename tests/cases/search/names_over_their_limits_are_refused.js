export function main() {
  const long = (length) => "n".repeat(length);
  const refused = (call) => assert.throws(call).message;
  assert.equal(
    refused(() => g.search.index({ _key: "k", _collection: long(256) })),
    "_collection is 256 bytes, the limit is 255",
  );
  assert.equal(
    refused(() => g.search.delete(long(256), "k")),
    "collection is 256 bytes, the limit is 255",
  );
  assert.equal(
    refused(() => g.search.delete("c", long(2049))),
    "key is 2049 bytes, the limit is 2048",
  );
  assert.equal(
    refused(() => g.search.count("")),
    "collection must not be empty",
  );
  assert.equal(
    refused(() => g.search.deleteByCollection("")),
    "collection must not be empty",
  );
  assert.equal(
    refused(() => g.search.query("x", { collection: "" })),
    "collection must not be empty",
  );
  g.search.index({ _key: long(2048), _collection: long(255), text: "found" });
  assert.equal(g.search.query("found")[0].key, long(2048));
}
