export function main() {
  g.store.put("c", "from", 5);
  g.store.update("c", "to", (to = 0) => {
    g.store.update("c", "from", (from) => from - 1);
    return to + 1;
  });
  assert.deepEqual([g.store.get("c", "from").data, g.store.get("c", "to").data], [4, 1]);
}
