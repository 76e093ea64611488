export async function main() {
  const refused = (call, method, takes) =>
    assert.throws(call, {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      method,
      message: `the method takes ${takes}`,
    });
  refused(() => g.store.put("c", "k", 1, { ttl: 100 }), "put", "3 arguments, not 4");
  refused(() => g.store.put("c", "k", 1, undefined), "put", "3 arguments, not 4");
  refused(() => g.store.list("c", {}, 1), "list", "1 to 2 arguments, not 3");
  refused(() => g.store.collections(1), "collections", "no arguments, not 1");
  refused(() => ["k"].map(g.store.count), "count", "1 argument, not 3");
  refused(() => [1, 2].forEach(g.queue.commit), "commit", "1 argument, not 3");
  refused(() => g.search.query("*:*", {}, 1), "query", "1 to 2 arguments, not 3");
  await assert.rejects(g.queue.waitForItem("q", { timeoutMs: 0 }, 1), {
    name: "TypeError",
    message: "the method takes 1 to 2 arguments, not 3",
  });
  assert.deepEqual(g.store.collections(), []);
}
