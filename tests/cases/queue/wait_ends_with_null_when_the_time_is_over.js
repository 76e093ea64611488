export async function main() {
  const start = performance.now();
  assert.equal(await g.queue.waitForItem("q", { timeoutMs: 200 }), null);
  const passed = performance.now() - start;
  assert.ok(passed >= 199 && passed < 2000, passed);
}
