// runs: 2
export function main() {
  if (!g.queue.count("q")) {
    g.queue.enqueue("q", "second", { priority: 1 });
    g.queue.enqueue("q", "first", { priority: 2 });
    g.queue.enqueue("done", 1);
    g.queue.commit(g.queue.dequeue("done").id);
    return;
  }
  assert.deepEqual(g.queue.queues(), ["q"]);
  assert.deepEqual(g.queue.list("q").map((item) => item.data), ["first", "second"]);
}
