export function main() {
  g.queue.enqueue("a", 1, { maxRetries: 0 });
  g.queue.enqueue("b", 1);
  g.queue.abort(g.queue.dequeue("a").id);
  const [dead] = g.queue.deadLetter("a");
  const wanted = { code: "NOT_FOUND", message: `the queue has no dead letter ${dead.id}` };
  assert.throws(() => g.queue.retry("b", dead.id), wanted);
  assert.throws(() => g.queue.retry("none", dead.id), wanted);
  g.queue.retry("a", dead.id);
  assert.throws(() => g.queue.retry("a", dead.id), wanted);
}
