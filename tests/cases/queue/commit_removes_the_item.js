export function main() {
  g.queue.enqueue("q", 1);
  const { id } = g.queue.dequeue("q");
  assert.equal(g.queue.commit(id), undefined);
  assert.deepEqual(g.queue.queues(), []);
  assert.equal(g.queue.abort(id), false);
}
