export async function main() {
  const calls = (name) => [
    () => g.queue.enqueue(name, 1),
    () => g.queue.dequeue(name),
    () => g.queue.peek(name),
    () => g.queue.count(name),
    () => g.queue.clear(name),
    () => g.queue.list(name),
    () => g.queue.deadLetter(name),
    () => g.queue.retry(name, 1),
  ];
  const refused = [
    ["", "name must not be empty"],
    ["q".repeat(256), "name is 256 bytes, the limit is 255"],
    ["a\nb", "name contains a control character at byte 1"],
  ];
  for (const [name, message] of refused) {
    for (const call of calls(name))
      assert.throws(call, { name: "RangeError", code: "INVALID_ARGUMENT", message });
    await assert.rejects(g.queue.waitForItem(name), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
      method: "waitForItem",
      message,
    });
  }
  for (const call of calls(1))
    assert.throws(call, { name: "TypeError", message: "name must be a string, not a number" });
  g.queue.enqueue("q".repeat(255), 1);
}
