// runs: 2
export function main() {
  const left = g.store.get("state", "id");
  if (!left) {
    g.queue.enqueue("q", 1);
    g.store.put("state", "id", g.queue.dequeue("q").id);
    return;
  }
  assert.equal(g.queue.count("q"), 0);
  g.queue.commit(left.data);
  assert.deepEqual(g.queue.queues(), []);
}
