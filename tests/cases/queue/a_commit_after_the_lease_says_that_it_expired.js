// A lease is renewed while its run lives: the second run commits what the first one left.
// runs: 2
export async function main() {
  const left = g.store.get("state", "id");
  if (!left) {
    g.queue.enqueue("q", 1);
    g.store.put("state", "id", g.queue.dequeue("q", { leaseMs: 1000 }).id);
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.throws(() => g.queue.commit(left.data), {
    code: "NOT_FOUND",
    message: `checkout ${left.data} has expired, and its item has returned to the queue`,
  });
  assert.equal(g.queue.peek("q").lastError, "lease expired");
}
