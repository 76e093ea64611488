export function main() {
  assert.deepEqual(g.queue.list("q"), []);
  for (let i = 0; i < 150; i++) g.queue.enqueue("q", i, { priority: i % 3 });
  const listed = g.queue.list("q", { limit: 1000 });
  assert.equal(listed.length, 150);
  assert.deepEqual(g.queue.list("q"), listed.slice(0, 100));
  assert.deepEqual(g.queue.list("q", { limit: 10, offset: 45 }), listed.slice(45, 55));
  assert.deepEqual(g.queue.list("q", { limit: 0 }), []);
  assert.deepEqual(g.queue.list("q", { offset: 150 }), []);
  const taken = [];
  for (let item; (item = g.queue.dequeue("q"));) taken.push(item.id);
  assert.deepEqual(taken, listed.map((item) => item.id));
}
