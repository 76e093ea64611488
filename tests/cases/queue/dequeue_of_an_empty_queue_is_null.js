export function main() {
  assert.equal(g.queue.dequeue("q"), null);
  g.queue.enqueue("q", 1);
  g.queue.commit(g.queue.dequeue("q").id);
  assert.equal(g.queue.dequeue("q"), null);
}
