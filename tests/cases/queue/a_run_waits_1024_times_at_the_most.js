export async function main() {
  const waits = Array.from({ length: 1024 }, () => g.queue.waitForItem("q", { timeoutMs: 300 }));
  await assert.rejects(g.queue.waitForItem("q"), {
    code: "LIMIT",
    message: "1024 waits of the run are in progress, which is the limit",
  });
  for (const item of await Promise.all(waits)) assert.equal(item, null);
  assert.equal(await g.queue.waitForItem("q", { timeoutMs: 0 }), null);
}
