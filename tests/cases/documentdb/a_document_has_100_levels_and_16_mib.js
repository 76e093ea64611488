export async function main() {
  const place = ["docs", "cases", "limits"];
  const nested = (levels) => {
    let value = 1;
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };
  for (const levels of [101, 200]) {
    const error = await assert.rejects(g.documentdb.find(...place, nested(levels)), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
    });
    assert.match(error.message, /^filter\.a.* is nested deeper than 100 levels$/);
  }
  const big = { a: "x".repeat(17 * 1024 * 1024) };
  for (const call of [
    () => g.documentdb.insertOne(...place, big),
    () => g.documentdb.find(...place, big),
    () => g.documentdb.replaceOne(...place, {}, big),
    () => g.documentdb.updateOne(...place, {}, { $set: big }),
  ]) {
    const error = await assert.rejects(call, { name: "RangeError", code: "INVALID_ARGUMENT" });
    assert.match(error.message, /^\w+ is \d+ bytes, the limit is 16777216$/);
  }
}
