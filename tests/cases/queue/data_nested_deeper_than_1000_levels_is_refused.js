export function main() {
  const nested = (levels) => {
    let data = 1;
    for (let i = 0; i < levels; i++) data = [data];
    return data;
  };
  g.queue.enqueue("q", nested(1_000));
  assert.equal(JSON.stringify(g.queue.dequeue("q").data), JSON.stringify(nested(1_000)));
  const refused = assert.throws(() => g.queue.enqueue("q", nested(1_001)), {
    name: "RangeError",
    code: "INVALID_ARGUMENT",
  });
  assert.ok(/nested/.test(refused.message) && /1000/.test(refused.message), refused.message);
  assert.equal(g.queue.count("q"), 0);
}
