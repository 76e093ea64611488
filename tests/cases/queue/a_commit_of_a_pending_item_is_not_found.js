export function main() {
  g.queue.enqueue("q", 1);
  assert.throws(() => g.queue.commit(g.queue.peek("q").id), {
    code: "NOT_FOUND",
    message: /never dequeued/,
  });
  assert.equal(g.queue.count("q"), 1);
}
