export function main() {
  const { ObjectId, Decimal128, Binary, UUID, Timestamp, Long, Code } = g.documentdb;
  const rows = [
    [ObjectId, "65f0"],
    [ObjectId, "x".repeat(24)],
    [Decimal128, "1.2.3"],
    [Decimal128, "1".repeat(35)],
    [Decimal128, ""],
    [Binary, "AAE"],
    [Binary, "a b="],
    [UUID, "65f0c0ff"],
    [Timestamp, "5"],
    [Timestamp, "5:4294967296"],
    [Long, "9223372036854775808"],
    [Long, "1.5"],
    [Long, "01"],
  ];
  for (const [Class, text] of rows) {
    assert.throws(() => new Class(text), { name: "RangeError", code: "INVALID_ARGUMENT" });
  }
  for (const Class of [ObjectId, Decimal128, Binary, UUID, Timestamp, Long, Code]) {
    const error = assert.throws(() => new Class(5), { name: "TypeError" });
    assert.equal(error.code, "INVALID_ARGUMENT");
    assert.equal(error.namespace, "documentdb");
  }
}
