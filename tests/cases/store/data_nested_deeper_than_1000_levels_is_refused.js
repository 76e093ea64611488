export function main() {
  const nested = (levels) => {
    let data = "needle";
    for (let i = 0; i < levels; i++) data = i % 2 ? { a: data } : [data];
    return data;
  };
  for (const levels of [1_001, 5_000]) {
    const refused = assert.throws(() => g.store.put("c", "k", nested(levels)), {
      name: "RangeError",
      code: "INVALID_ARGUMENT",
    });
    assert.ok(/nested/.test(refused.message) && /1000/.test(refused.message), refused.message);
  }
  let cause;
  try {
    g.store.put("c", "k", nested(100_000));
  } catch (error) {
    cause = error;
  }
  assert.ok(cause instanceof Error, "whatever refuses it, it is an error");
  assert.equal(g.store.get("c", "k"), null);
}
