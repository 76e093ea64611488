export function main() {
  assert.equal(g.store.put("people", "ada", { name: "Ada", born: 1815 }), undefined);
  const document = g.store.get("people", "ada");
  assert.deepEqual(Object.keys(document).sort(), ["createdAt", "data", "key", "updatedAt"]);
  assert.equal(document.key, "ada");
  assert.deepEqual(document.data, { name: "Ada", born: 1815 });
}
