export async function main() {
  const place = ["docs", "cases", "update_refused"];
  await g.documentdb.insertOne(...place, { _id: 1, a: 1 });
  const refused = { name: "RangeError", code: "INVALID_ARGUMENT" };
  for (const method of ["updateOne", "updateMany"]) {
    const update = (change) => g.documentdb[method](...place, {}, change);
    const error = await assert.rejects(update({ a: 2 }), refused);
    assert.match(error.message, /update must have operators such as \$set, not the member "a"/);
    await assert.rejects(update({ $set: { a: 2 }, b: 1 }), refused);
    await assert.rejects(update({}), { ...refused, message: /update is empty/ });
  }
  assert.deepEqual(await g.documentdb.findOne(...place), { _id: 1, a: 1 });
}
