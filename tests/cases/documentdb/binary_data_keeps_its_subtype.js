// servers: ferretdb
export async function main() {
  const place = ["docs", "cases", "subtypes"];
  const { Binary, UUID } = g.documentdb;
  const document = {
    _id: 1,
    plain: new Binary("AAEC"),
    other: new Binary("AAEC", 128),
    empty: new Binary("", 5),
    uuid: new UUID("65f0c0ff-ee65-4f0c-8ffe-e65f0c0ffee6"),
  };
  await g.documentdb.insertOne(...place, document);
  assert.deepEqual(await g.documentdb.findOne(...place), document);
}
