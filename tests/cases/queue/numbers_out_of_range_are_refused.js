export async function main() {
  for (const bad of [-1, 1.5, 2 ** 31, NaN]) {
    assert.throws(() => g.queue.enqueue("q", 1, { maxRetries: bad }), {
      name: "RangeError",
      message: /^options.maxRetries must be a whole number from 0 to 2147483647/,
    });
    for (const method of ["list", "deadLetter"]) {
      assert.throws(() => g.queue[method]("q", { limit: bad }), {
        name: "RangeError",
        message: /^options.limit/,
      });
      assert.throws(() => g.queue[method]("q", { offset: bad }), {
        name: "RangeError",
        message: /^options.offset/,
      });
    }
    await assert.rejects(g.queue.waitForItem("q", { timeoutMs: bad }), {
      name: "RangeError",
      message: /^options.timeoutMs/,
    });
  }
  for (const leaseMs of [0, 999, 86_400_001, 1000.5]) {
    const message = `options.leaseMs must be a whole number from 1000 to 86400000, not ${leaseMs}`;
    assert.throws(() => g.queue.dequeue("q", { leaseMs }), { name: "RangeError", message });
    await assert.rejects(g.queue.waitForItem("q", { leaseMs }), { name: "RangeError", message });
  }
}
