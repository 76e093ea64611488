export function main() {
  g.store.put("people", "ada", { born: 1815 });
  assert.deepEqual(g.store.list("people"), [g.store.get("people", "ada")]);
}
