export async function main() {
  const order = [];
  const timer = (ms, name) =>
    new Promise((resolve) =>
      setTimeout(() => {
        order.push(name);
        resolve();
      }, ms),
    );
  const item = g.queue.waitForItem("q").then((item) => order.push(item.data));
  await Promise.all([
    item,
    timer(30, "first"),
    timer(60, "second").then(() => g.queue.enqueue("q", "item")),
    timer(2000, "last"),
  ]);
  assert.deepEqual(order, ["first", "second", "item", "last"]);
}
