export function main() {
  for (const result of [
    g.store.put("c", "k", 1),
    g.store.get("c", "k"),
    g.store.list("c"),
    g.store.count("c"),
    g.store.collections(),
    g.store.delete("c", "k"),
    g.store.clear("c"),
  ]) {
    assert.ok(!(result instanceof Promise));
  }
}
