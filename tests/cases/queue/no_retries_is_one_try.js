export function main() {
  g.queue.enqueue("q", 1, { maxRetries: 0 });
  g.queue.abort(g.queue.dequeue("q").id, "no");
  assert.equal(g.queue.count("q"), 0);
  assert.equal(g.queue.deadLetter("q").length, 1);
}
