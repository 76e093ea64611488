export function main() {
  for (const priority of [-1, 3, 0.5, NaN]) {
    assert.throws(() => g.queue.enqueue("q", 1, { priority }), {
      name: "RangeError",
      message: `options.priority must be one of 0, 1, 2, not ${priority}`,
    });
  }
  assert.throws(() => g.queue.enqueue("q", 1, { priority: "high" }), { name: "TypeError" });
  assert.equal(g.queue.count("q"), 0);
}
