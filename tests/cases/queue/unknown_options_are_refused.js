export async function main() {
  const wanted = (allowed) => ({
    name: "TypeError",
    message: `unknown option "x": allowed are ${allowed}`,
  });
  assert.throws(() => g.queue.enqueue("q", 1, { x: 1 }), wanted("priority, maxRetries"));
  assert.throws(() => g.queue.dequeue("q", { x: 1 }), wanted("leaseMs"));
  assert.throws(() => g.queue.list("q", { x: 1 }), wanted("limit, offset"));
  assert.throws(() => g.queue.deadLetter("q", { x: 1 }), wanted("limit, offset"));
  await assert.rejects(g.queue.waitForItem("q", { x: 1 }), wanted("timeoutMs, leaseMs"));
}
