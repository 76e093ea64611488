export function main() {
  const cycle = {};
  cycle.self = cycle;
  for (const [data, message] of [
    [undefined, "data is undefined, which JSON can't hold"],
    [() => 1, "data is a function, which JSON can't hold"],
    [1n, "data is a BigInt, which JSON can't hold"],
    [cycle, "data.self is data again, a cycle, which JSON can't hold"],
    [{ to: [{ at: new Date(NaN) }] }, "data.to[0].at is an invalid Date, which JSON can't hold"],
    [{ tags: new Set(["a"]) }, "data.tags is a Set, which JSON can't hold"],
    [{ price: 0 / 0 }, "data.price is NaN, which JSON can't hold"],
  ]) {
    assert.throws(() => g.queue.enqueue("q", data), {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      method: "enqueue",
      message,
    });
  }
  assert.equal(g.queue.count("q"), 0);
}
