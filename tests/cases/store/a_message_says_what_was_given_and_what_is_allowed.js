export function main() {
  assert.throws(() => g.store.put("people", "k".repeat(3000), 1), {
    name: "RangeError", message: "key is 3000 bytes, the limit is 2048",
  });
  assert.throws(() => g.store.put("c".repeat(256), "k", 1), {
    name: "RangeError", message: "collection is 256 bytes, the limit is 255",
  });
}
