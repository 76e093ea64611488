// flags: --max-memory 512M
export async function main() {
  const place = ["docs", "cases", "pages"];
  const text = "x".repeat(1 << 20);
  for (let _id = 0; _id < 70; _id++) await g.documentdb.insertOne(...place, { _id, text });
  const error = await assert.rejects(g.documentdb.find(...place), { code: "LIMIT" });
  assert.match(error.message, /: read the documents in pages, with a limit/);
  const page = await g.documentdb.find(...place, { _id: { $gt: 59 } }, { sort: { _id: 1 } });
  assert.equal(page.length, 10);
}
