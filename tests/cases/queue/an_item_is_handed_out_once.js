export function main() {
  g.queue.enqueue("q", 1);
  assert.ok(g.queue.dequeue("q"));
  assert.equal(g.queue.dequeue("q"), null);
}
