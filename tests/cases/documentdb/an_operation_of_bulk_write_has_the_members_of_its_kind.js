export async function main() {
  const place = ["docs", "cases", "bulk_refused"];
  const rows = [
    [{ type: "insertOne" }, "operations[1].document is missing, which insertOne needs"],
    [{ type: "deleteMany" }, "operations[1].filter is missing, which deleteMany needs"],
    [
      { type: "deleteOne", filter: {}, update: { $set: { a: 1 } } },
      "operations[1].update is not a member of deleteOne",
    ],
    [
      { type: "upsert", filter: {} },
      "operations[1].type must be one of",
    ],
    [
      { type: "updateOne", filter: {}, update: { a: 1 } },
      "operations[1].update must have operators",
    ],
    [{ type: "deleteMany", filter: { a: undefined } }, "operations[1].filter.a is undefined"],
    [{ type: "insertOne", document: {}, upsert: true }, 'unknown member "upsert"'],
  ];
  for (const [operation, message] of rows) {
    const first = { type: "insertOne", document: { a: 1 } };
    const call = g.documentdb.bulkWrite(...place, [first, operation]);
    const error = await assert.rejects(call, { code: "INVALID_ARGUMENT" });
    assert.ok(error.message.startsWith(message), error.message);
  }
  assert.equal(await g.documentdb.countDocuments(...place), 0);
}
