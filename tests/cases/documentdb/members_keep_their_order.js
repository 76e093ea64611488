export async function main() {
  const place = ["docs", "cases", "order"];
  const document = new Map([
    ["_id", 1],
    ["b", 1],
    ["2", 2],
    ["a", 3],
    [
      "1",
      new Map([
        ["z", 1],
        ["0", 2],
      ]),
    ],
  ]);
  await g.documentdb.insertOne(...place, document);
  const read = await g.documentdb.findOne(...place, { _id: 1 });
  read.new = true;
  await g.documentdb.replaceOne(...place, { _id: 1 }, read);
  // A document equals another one only if its members are in the same order.
  const whole = {
    $match: {
      "1": new Map([
        ["z", 1],
        ["0", 2],
      ]),
    },
  };
  assert.equal((await g.documentdb.aggregate(...place, [whole])).length, 1);
  const other = { $match: { "1": { z: 1, 0: 2 } } };
  assert.equal((await g.documentdb.aggregate(...place, [other])).length, 0);
}
