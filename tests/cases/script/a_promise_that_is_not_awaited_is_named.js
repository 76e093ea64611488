const later = async () => [{ id: "ada" }];

export async function main() {
  const rows = later();
  const wrong = (call, message) => assert.throws(call, { name: "TypeError", message });
  wrong(() => g.store.put("people", rows[0].id, 1), "rows has no items: it is a Promise, await it");
  wrong(() => console.log(rows.hits.n), "rows has no member hits: it is a Promise, await it");
  wrong(() => rows.map((row) => row.id), "map is not a function of a Promise: await it");
  wrong(() => [...rows], "a Promise is not iterable: await it");
  wrong(() => g.store.get("people", rows), "key must be a string, not a Promise: await it");
  const lost = "data.rows is a Promise, which JSON can't hold: await it";
  wrong(() => g.store.put("people", "ada", { rows }), lost);
}
