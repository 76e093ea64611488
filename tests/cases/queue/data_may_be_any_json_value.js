export function main() {
  const values = [
    null,
    true,
    0.5,
    "",
    "é😀",
    [],
    {},
    [1, { a: [null] }],
    { z: 1, a: 2 },
    "x".repeat(100_000),
  ];
  for (const value of values) g.queue.enqueue("q", value);
  for (const value of values) assert.deepEqual(g.queue.dequeue("q").data, value);
  g.queue.enqueue("q", new Date(0));
  assert.equal(g.queue.dequeue("q").data, "1970-01-01T00:00:00.000Z");
}
