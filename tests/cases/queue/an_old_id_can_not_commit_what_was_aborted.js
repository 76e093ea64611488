export function main() {
  g.queue.enqueue("q", "x");
  const { id } = g.queue.dequeue("q");
  g.queue.abort(id);
  const again = g.queue.dequeue("q");
  assert.throws(() => g.queue.commit(id), { code: "NOT_FOUND" });
  assert.equal(g.queue.abort(id), false);
  g.queue.commit(again.id);
}
