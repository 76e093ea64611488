export function main() {
  const half = 8 * 1024 * 1024;
  g.store.put("c", "k", "é".repeat(half - 1));
  assert.throws(() => g.store.put("c", "k", "é".repeat(half)), {
    message: "data is 16777218 bytes, the limit is 16777216",
  });
  assert.throws(() => g.store.put("c", "k", "\n".repeat(half)), {
    message: "data is 16777218 bytes, the limit is 16777216",
  });
}
