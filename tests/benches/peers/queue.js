const DATA = { text: "x".repeat(180), n: 1 }; // 200 bytes of JSON
const CALLS = 10_000;

/** Microseconds for a call. */
function timed(call) {
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) call(i);
  return ((performance.now() - start) / CALLS) * 1_000;
}

/** What each call takes in a queue that has `size` items. */
function flat(size) {
  for (let i = 0; i < size; i++) g.queue.enqueue("q", DATA);
  const ids = [];
  return [
    timed(() => g.queue.enqueue("q", DATA)),
    timed(() => ids.push(g.queue.dequeue("q").id)),
    timed((i) => g.queue.commit(ids[i])),
    timed(() => g.queue.count("q")),
  ];
}

/** `count` items are enqueued one by one, while they are worked off. */
async function through(count) {
  const work = async () => {
    for (let done = 0; done < count; done++) g.queue.commit((await g.queue.waitForItem("q")).id);
  };
  const worked = work();
  for (let i = 0; i < count; i++) {
    g.queue.enqueue("q", DATA);
    await null;
  }
  await worked;
  return count;
}

export const main = (what, count) => ({ flat, through })[what](Number(count));
