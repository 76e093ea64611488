export function main() {
  g.store.put("é".repeat(127), "k", 1);
  assert.throws(() => g.store.put("é".repeat(128), "k", 1), {
    message: "collection is 256 bytes, the limit is 255",
  });
  g.store.put("c", "\u{1F600}".repeat(512), 1);
  assert.throws(() => g.store.put("c", "\u{1F600}".repeat(513), 1), {
    message: "key is 2052 bytes, the limit is 2048",
  });
}
