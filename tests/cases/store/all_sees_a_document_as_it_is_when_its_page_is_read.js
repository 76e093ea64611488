export function main() {
  for (let index = 0; index < 600; index++) g.store.put("c", String(index).padStart(3, "0"), 0);
  const seen = new Map();
  for (const { key, data } of g.store.all("c")) {
    assert.deepEqual(seen.has(key), false, key);
    seen.set(key, data);
    if (key === "100") {
      g.store.put("c", "000x", 1); // behind the iteration
      g.store.put("c", "150", 1); // in the page that was read
      g.store.put("c", "400", 1);
      g.store.delete("c", "401");
      g.store.put("c", "999", 1);
    }
    if (key === "300") {
      // Emptied and filled again: what follows is found by its key.
      g.store.clear("c");
      g.store.put("c", "700", 2);
    }
  }
  assert.deepEqual(
    [seen.has("000x"), seen.get("150"), seen.get("400"), seen.has("401")],
    [false, 0, 1, false],
  );
  assert.deepEqual(
    [seen.get("512"), seen.has("513"), seen.get("700"), seen.has("999")],
    [0, false, 2, false],
  );
}
