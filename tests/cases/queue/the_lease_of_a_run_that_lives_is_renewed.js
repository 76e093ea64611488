export async function main() {
  g.queue.enqueue("q", 1);
  const item = g.queue.dequeue("q", { leaseMs: 1000 });
  const busy = performance.now() + 1300;
  while (performance.now() < busy);
  await new Promise((resolve) => setTimeout(resolve, 1300));
  assert.equal(g.queue.count("q"), 0);
  g.queue.commit(item.id);
}
