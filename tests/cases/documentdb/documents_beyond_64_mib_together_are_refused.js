// FerretDB sends each batch in a message of its own.
// servers: ferretdb
// flags: --max-memory 512M
export async function main() {
  const place = ["docs", "cases", "buffers"];
  const text = "x".repeat(300_000);
  const page = (from) => Array.from({ length: 40 }, (_, i) => ({ _id: from + i, text }));
  for (let from = 0; from < 240; from += 40) await g.documentdb.insertMany(...place, page(from));
  const error = await assert.rejects(g.documentdb.find(...place), { code: "LIMIT" });
  assert.match(error.message, /the limit is 67108864; .*: read the documents in pages, with a/);
  assert.equal((await g.documentdb.find(...place, {}, { limit: 90 })).length, 90);
}
