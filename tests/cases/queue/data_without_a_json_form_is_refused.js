export function main() {
  const cycle = {};
  cycle.self = cycle;
  for (const data of [undefined, () => 1, Symbol("x"), 1n, cycle, [1n]]) {
    assert.throws(() => g.queue.enqueue("q", data), { name: "TypeError", code: "INVALID_ARGUMENT", method: "enqueue" });
  }
  assert.equal(g.queue.count("q"), 0);
}
