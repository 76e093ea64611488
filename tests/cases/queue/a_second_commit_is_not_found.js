export function main() {
  g.queue.enqueue("q", 1);
  const { id } = g.queue.dequeue("q");
  g.queue.commit(id);
  assert.throws(() => g.queue.commit(id), {
    code: "NOT_FOUND",
    namespace: "queue",
    method: "commit",
    message: /checkout \d+ does not exist/,
  });
}
