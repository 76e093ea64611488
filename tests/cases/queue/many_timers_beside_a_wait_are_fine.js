export async function main() {
  let ticks = 0;
  const waits = [1, 2, 3].map(() => g.queue.waitForItem("q"));
  const interval = setInterval(() => {
    ticks++;
    g.queue.enqueue("other", 1);
    if (ticks === 60) for (const n of [1, 2, 3]) g.queue.enqueue("q", n);
  }, 2);
  await Promise.all(waits);
  clearInterval(interval);
  assert.ok(ticks >= 60);
}
