export function main() {
  for (const control of ["\0", "\t", "\n", "\r", "\x1b", "\x7f", "\x80", "\x9f"]) {
    const collection = assert.throws(() => g.store.put(`a${control}b`, "k", 1), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      method: "put",
      message: /collection.*control character/,
    });
    assert.ok(!collection.message.includes(control), "the message does not carry it on");
    assert.throws(() => g.store.put("c", `${control}k`, 1), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      method: "put",
      message: /key.*control character/,
    });
  }
  assert.deepEqual(g.store.collections(), []);
}
