export function main() {
  g.queue.enqueue("jobs", 1);
  const item = g.queue.dequeue("jobs");
  for (const method of ["commit", "abort"])
    assert.throws(() => g.queue[method](item), { name: "TypeError", code: "INVALID_ARGUMENT", message: /, not an object; give item\.id$/ });
  g.queue.commit(item.id);
}
