export function main() {
  g.store.put("c", "k", 1);
  const seen = [];
  const stored = g.store.update("c", "k", (data) => {
    seen.push(data);
    if (seen.length === 1) g.store.put("c", "k", 10);
    if (seen.length === 2) {
      // It looks the same, and is another document.
      g.store.delete("c", "k");
      g.store.put("c", "k", 10);
    }
    if (seen.length === 3) g.store.put("c", "k", 10);
    if (seen.length === 4) g.store.delete("c", "k");
    if (seen.length === 5) g.store.put("c", "k", 20);
    return (data ?? 0) + 1;
  });
  assert.deepEqual(seen, [1, 10, 10, 10, undefined, 20]);
  assert.deepEqual(stored.data, 21);
}
