export async function main() {
  assert.equal(await g.queue.waitForItem("q", { timeoutMs: 0 }), null);
  g.queue.enqueue("q", 1);
  assert.equal((await g.queue.waitForItem("q", { timeoutMs: 0 })).data, 1);
}
