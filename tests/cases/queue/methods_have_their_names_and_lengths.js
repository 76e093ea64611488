export function main() {
  const lengths = {
    enqueue: 2,
    dequeue: 1,
    commit: 1,
    abort: 1,
    peek: 1,
    count: 1,
    clear: 1,
    list: 1,
    queues: 0,
    deadLetter: 1,
    retry: 2,
    waitForItem: 1,
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(g.queue).map((name) => [name, g.queue[name].length])),
    lengths,
  );
  assert.ok(Object.isFrozen(g.queue));
}
