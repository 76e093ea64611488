// runs: 3
export function main() {
  const last = g.store.get("state", "last")?.data ?? 0;
  g.queue.enqueue("a", 1);
  g.queue.enqueue("b", 1);
  const [a, b] = [g.queue.dequeue("a").id, g.queue.dequeue("b").id];
  assert.ok(last < a && a < b);
  g.store.put("state", "last", b);
  g.queue.commit(a);
  g.queue.commit(b);
}
