export function main() {
  assert.equal(g.queue.count("q"), 0);
  for (let i = 0; i < 3; i++) g.queue.enqueue("q", i, { maxRetries: 0 });
  assert.equal(g.queue.count("q"), 3);
  const first = g.queue.dequeue("q");
  assert.equal(g.queue.count("q"), 2);
  g.queue.abort(first.id);
  assert.equal(g.queue.count("q"), 2);
  g.queue.retry("q", g.queue.deadLetter("q")[0].id);
  assert.equal(g.queue.count("q"), 3);
}
