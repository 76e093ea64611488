export function main() {
  g.queue.enqueue("jobs", 1);
  const item = g.queue.dequeue("jobs");
  const expected = { code: "INVALID_ARGUMENT", message: /, not an object; give item\.id$/ };
  for (const method of ["commit", "abort"]) assert.throws(() => g.queue[method](item), expected);
  g.queue.commit(item.id);
}
