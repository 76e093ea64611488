// runs: 2
// stderr lacks: main returned before
// flags: --timeout 5s
export async function main() {
  if (g.queue.queues().length === 0) {
    g.queue.waitForItem("q");
    await new Promise((resolve) => setTimeout(resolve, 30));
    g.queue.enqueue("later", 1);
    return;
  }
  assert.equal(g.queue.count("q"), 0);
}
