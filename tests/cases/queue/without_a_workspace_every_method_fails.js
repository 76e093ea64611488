// flags: --no-workspace
export async function main() {
  const wanted = { name: "GError", code: "NO_WORKSPACE", namespace: "queue" };
  const { queue } = g;
  for (const call of [
    () => queue.enqueue("q", 1),
    () => queue.dequeue("q"),
    () => queue.commit(1),
    () => queue.abort(1),
    () => queue.peek("q"),
    () => queue.count("q"),
    () => queue.clear("q"),
    () => queue.list("q"),
    () => queue.queues(),
    () => queue.deadLetter("q"),
    () => queue.retry("q", 1),
  ]) {
    assert.throws(call, wanted);
  }
  await assert.rejects(queue.waitForItem("q"), wanted);
}
