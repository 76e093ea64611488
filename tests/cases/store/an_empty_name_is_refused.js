export function main() {
  assert.throws(() => g.store.put("", "k", 1), {
    name: "RangeError",
    code: "INVALID_ARGUMENT",
    message: /collection.*empty/,
  });
  assert.throws(() => g.store.put("c", "", 1), {
    name: "RangeError",
    code: "INVALID_ARGUMENT",
    message: /key.*empty/,
  });
  assert.throws(() => g.store.get("c", ""), { code: "INVALID_ARGUMENT", method: "get" });
  assert.throws(() => g.store.count(""), { code: "INVALID_ARGUMENT", method: "count" });
}
