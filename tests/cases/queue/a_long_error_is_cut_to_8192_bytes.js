export function main() {
  g.queue.enqueue("q", "x");
  g.queue.abort(g.queue.dequeue("q").id, "é".repeat(10_000));
  assert.equal(g.queue.peek("q").lastError, "é".repeat(4096));
}
