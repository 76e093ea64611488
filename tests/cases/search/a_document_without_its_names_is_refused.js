export function main() {
  const refused = (fields, name, message) => {
    assert.throws(() => g.search.index(fields), { name, code: "INVALID_ARGUMENT", message });
  };
  refused(
    { _collection: "c" },
    "TypeError",
    "fields has no _key: a document needs _key and _collection",
  );
  refused(
    { _key: "k" },
    "TypeError",
    "fields has no _collection: a document needs _key and _collection",
  );
  refused({ _key: 5, _collection: "c" }, "TypeError", "_key must be a string, not a number");
  refused([], "TypeError", "fields must be an object, not an array");
  refused({ _key: "", _collection: "c" }, "RangeError", "_key must not be empty");
  refused(
    { _key: "k".repeat(2049), _collection: "c" },
    "RangeError",
    "_key is 2049 bytes, the limit is 2048",
  );
  assert.equal(g.search.count(), 0);
}
