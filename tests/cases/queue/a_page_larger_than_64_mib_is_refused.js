export function main() {
  const data = "x".repeat(15 * 2 ** 20);
  for (let i = 0; i < 5; i++) g.queue.enqueue("q", data);
  assert.throws(() => g.queue.list("q"), {
    name: "GError",
    code: "LIMIT",
    message: "the page is larger than 64 MiB: ask for fewer items with limit",
  });
  assert.equal(g.queue.list("q", { limit: 2 }).length, 2);
}
