// flags: --timeout 30s
export async function main() {
  const waits = g.queue.waitForItem("q");
  await new Promise((resolve) => setTimeout(resolve, 50));
  g.queue.enqueue("q", "hello");
  assert.equal((await waits).data, "hello");
}
