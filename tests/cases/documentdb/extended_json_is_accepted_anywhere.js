export async function main() {
  const place = ["docs", "cases", "extended"];
  const { ObjectId, Long, Binary, UUID, Timestamp } = g.documentdb;
  const hex = "65f0c0ffee65f0c0ffee65f0";
  await g.documentdb.insertOne(...place, {
    _id: { $oid: hex },
    date: { $date: "2026-01-02T03:04:05.678Z" },
    canonical: { $date: { $numberLong: "-1" } },
    long: { $numberLong: "9007199254740993" },
    int: { $numberInt: "5" },
    double: { $numberDouble: "0.5" },
    binary: { $binary: { base64: "AAEC", subType: "00" } },
    uuid: { $uuid: "65f0c0ff-ee65-4f0c-8ffe-e65f0c0ffee6" },
    timestamp: { $timestamp: { t: 5, i: 6 } },
    regex: { $regularExpression: { pattern: "^a", options: "i" } },
    nested: [{ a: { $oid: hex } }],
  });
  const found = await g.documentdb.findOne(...place, { _id: { $oid: hex } });
  assert.deepEqual(found, {
    _id: new ObjectId(hex),
    date: new Date("2026-01-02T03:04:05.678Z"),
    canonical: new Date(-1),
    long: new Long("9007199254740993"),
    int: 5,
    double: 0.5,
    binary: new Binary("AAEC"),
    uuid: new UUID("65f0c0ff-ee65-4f0c-8ffe-e65f0c0ffee6"),
    timestamp: new Timestamp("5:6"),
    regex: found.regex,
    nested: [{ a: new ObjectId(hex) }],
  });
  assert.ok(found.regex instanceof RegExp);
  assert.equal(String(found.regex), "/^a/i");
  await g.documentdb.updateOne(...place, {}, { $set: { date: { $date: { $numberLong: "0" } } } });
  const changed = await g.documentdb.aggregate(...place, [
    { $match: { date: { $date: "1970-01-01T00:00:00Z" } } },
  ]);
  assert.equal(changed.length, 1);
  const wrong = [{ $oid: 5 }, { $date: "soon" }, { $numberLong: "x" }, { $minKey: 2 }];
  for (const value of wrong) {
    const error = await assert.rejects(g.documentdb.find(...place, { a: [{ b: value }] }), {
      name: "RangeError",
    });
    assert.match(error.message, /^filter\.a\[0\]\.b is not valid Extended JSON: \$/);
  }
  await assert.rejects(g.documentdb.find(...place, { $oid: hex }), { name: "TypeError" });
}
