export function main() {
  for (const data of ["a", "b"]) g.queue.enqueue("q", data, { priority: 2 });
  g.queue.enqueue("q", "later", { priority: 1 });
  g.queue.abort(g.queue.dequeue("q").id);
  assert.deepEqual(g.queue.list("q").map((item) => item.data), ["b", "a", "later"]);
}
