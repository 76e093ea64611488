export async function main() {
  const wanted = (allowed) => ({
    name: "TypeError",
    message: `unknown option "x": ${allowed}`,
  });
  assert.throws(
    () => g.queue.enqueue("q", 1, { x: 1 }),
    wanted("allowed are priority, maxRetries"),
  );
  assert.throws(() => g.queue.dequeue("q", { x: 1 }), wanted("the only option is leaseMs"));
  assert.throws(() => g.queue.list("q", { x: 1 }), wanted("allowed are limit, offset"));
  assert.throws(() => g.queue.deadLetter("q", { x: 1 }), wanted("allowed are limit, offset"));
  await assert.rejects(
    g.queue.waitForItem("q", { x: 1 }),
    wanted("allowed are timeoutMs, leaseMs"),
  );
}
