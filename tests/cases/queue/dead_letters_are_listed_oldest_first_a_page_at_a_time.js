export function main() {
  for (let i = 0; i < 120; i++) g.queue.enqueue("q", i, { maxRetries: 0 });
  const items = [];
  for (let item; (item = g.queue.dequeue("q"));) items.push(item);
  for (const item of items.reverse()) g.queue.abort(item.id);
  assert.deepEqual(
    g.queue.deadLetter("q").map((dead) => dead.data),
    [...Array(100).keys()].map((i) => 119 - i),
  );
  assert.deepEqual(
    g.queue.deadLetter("q", { limit: 2, offset: 118 }).map((dead) => dead.data),
    [1, 0],
  );
  assert.deepEqual(g.queue.deadLetter("q", { limit: 0 }), []);
  assert.deepEqual(g.queue.deadLetter("q", { offset: 500 }), []);
}
