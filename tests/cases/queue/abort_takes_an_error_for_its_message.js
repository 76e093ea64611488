export function main() {
  g.queue.enqueue("q", "x");
  g.queue.abort(g.queue.dequeue("q").id, new RangeError("too far"));
  assert.equal(g.queue.peek("q").lastError, "too far");
  g.queue.abort(g.queue.dequeue("q").id);
  assert.equal("lastError" in g.queue.peek("q"), false);
}
