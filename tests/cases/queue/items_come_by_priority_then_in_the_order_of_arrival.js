export function main() {
  const enqueue = (data, priority) =>
    g.queue.enqueue("q", data, priority === undefined ? undefined : { priority });
  enqueue("low 1", 0);
  enqueue("normal 1");
  enqueue("high 1", 2);
  enqueue("low 2", 0);
  enqueue("high 2", 2);
  enqueue("normal 2", 1);
  const order = [];
  for (let item; (item = g.queue.dequeue("q"));) order.push(item.data);
  assert.deepEqual(order, ["high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2"]);
}
