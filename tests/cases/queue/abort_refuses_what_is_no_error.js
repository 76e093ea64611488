export function main() {
  g.queue.enqueue("q", "x");
  const { id } = g.queue.dequeue("q");
  for (const error of [1, true, {}, { message: "x" }, []]) {
    assert.throws(() => g.queue.abort(id, error), {
      name: "TypeError",
      message: /^error must be a string or an Error/,
    });
  }
  g.queue.commit(id);
}
