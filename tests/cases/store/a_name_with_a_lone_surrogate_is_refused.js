export function main() {
  for (const name of ["\ud800", "a\udc00", "\udc00\ud800"]) {
    assert.throws(() => g.store.put(name, "k", 1), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      message: /^collection /,
    });
    assert.throws(() => g.store.put("c", name, 1), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      message: /^key /,
    });
    assert.throws(() => g.store.get("c", name), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      message: /^key /,
    });
  }
}
