export async function main() {
  g.queue.enqueue("q", { n: 1 });
  const item = await g.queue.waitForItem("q");
  assert.deepEqual(item.data, { n: 1 });
  assert.equal(item.attempts, 1);
  g.queue.commit(item.id);
}
